/** Faults of text messages. */
import { type Fault, faultsOf } from '../fault.ts';

export const textMessageFaults: Fault[] = [
  ...faultsOf('src/modules/accounts/sms/call-service.ts', [
    ["redirect: 'manual',", '', 'sms', 'a redirect sends the number and the code to another server'],
    ['if (bytes >= maxResponseBytes) break;', '', 'sms-http', 'a response without end fills the memory'],
  ]),
  ...faultsOf('src/modules/accounts/sms/twilio.ts', [
    ["typeof error?.code === 'number'", 'true', 'sms', 'the log has a text of the SMS service'],
  ]),
  ...faultsOf('src/modules/accounts/sms/http-service.ts', [
    ['!isSuccess || ', '', 'sms-http', 'a refused message counts as sent'],
    [
      "fillIn(url, values, 'form')",
      "fillIn(url, values, 'json')",
      'sms-http',
      'a text adds parameters to a URL',
    ],
  ]),
  ...faultsOf('src/modules/accounts/sms/config-http.ts', [
    [
      'isPublicAddress(host)',
      'false',
      'src/modules/accounts/sms/config-http',
      'codes cross the internet in clear text',
    ],
    [
      '!isBody[format](fillIn(template, sample, format))',
      'false',
      'src/modules/accounts/sms/config-http',
      'each message has a body that is no JSON',
    ],
  ]),
];
