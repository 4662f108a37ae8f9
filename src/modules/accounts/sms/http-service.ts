import { callSmsService, type SendText } from './call-service.ts';
import type { HttpSmsConfig } from './config-http.ts';
import { SmsFailure } from './failure.ts';
import { fillIn } from './template.ts';

/** Sends the request of the configuration for each message. */
export function httpSender(config: HttpSmsConfig): SendText {
  const { url, method, headers, body, sender, statuses, response } = config;
  return async (phone, message) => {
    const values = { phone, digits: phone.slice(1), text: message, sender };
    const { status, text } = await callSmsService(fillIn(url, values, 'form'), {
      method,
      headers,
      body: body ? fillIn(body.template, values, body.format) : null,
    });
    const isSuccess = statuses.some(([first, last]) => status >= first && status <= last);
    if (isSuccess && response !== undefined && text === null)
      throw new SmsFailure('lost', { status, code: undefined });
    if (!isSuccess || !withoutSpace(text ?? '').includes(withoutSpace(response ?? '')))
      throw new SmsFailure('refused', { status, code: undefined }, text);
  };
}

/** The space in JSON has no meaning, and services change it. */
const withoutSpace = (text: string): string => text.replace(/\s/g, '');
