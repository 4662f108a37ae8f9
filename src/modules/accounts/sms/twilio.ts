import { callSmsService, type SendText } from './call-service.ts';
import type { TwilioConfig } from './config.ts';
import { SmsFailure } from './failure.ts';

/** Creates messages at Twilio (https://www.twilio.com/docs/messaging/api/message-resource). */
export function twilioSender({ accountSid, authToken, from, baseUrl }: TwilioConfig): SendText {
  const sender: [string, string] = from.startsWith('MG') ? ['MessagingServiceSid', from] : ['From', from];
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
  const url = `${baseUrl ?? 'https://api.twilio.com'}/2010-04-01/Accounts/${accountSid}/Messages.json`;
  return async (phone, message) => {
    const { status, text } = await callSmsService(url, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
      body: new URLSearchParams([['To', phone], sender, ['Body', message]]),
    });
    if (status < 200 || status > 299)
      throw new SmsFailure('refused', { status, code: errorCodeIn(text) }, text);
  };
}

/** Twilio's error codes are numbers. A text in their place may contain anything, so it is not logged. */
function errorCodeIn(text: string | null): number | undefined {
  try {
    const error = JSON.parse(text ?? '') as { code?: unknown } | null;
    return typeof error?.code === 'number' ? error.code : undefined;
  } catch {
    return undefined;
  }
}
