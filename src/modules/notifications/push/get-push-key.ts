import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { requirePush } from './require-push.ts';
import { PushKey } from './schemas.ts';
import { deriveVapidKeys } from './vapid-keys.ts';

export const getPushKey = defineEndpoint({
  method: 'GET',
  path: '/v1/push/key',
  summary: "Get the server's public key for web push",
  description:
    'A browser needs it to subscribe. Web push requires that the operator serves Potluck over https.',
  caller: 'none',
  uncached: true,
  response: { 200: PushKey },
  problems: ['push_unavailable'],

  handler(_request, { config }: BaseServices) {
    requirePush(config);
    return { status: 200, body: { publicKey: deriveVapidKeys(config.secretKey).publicKey } };
  },
});
