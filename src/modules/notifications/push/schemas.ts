import { ECDH } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { isPublicAddress } from '#base';
import { body, httpUrl, named, nullable } from '../../../http/schemas.ts';
import { invalid } from '../../../lib/errors.ts';
import { parseAddress } from '../../../lib/user-texts/parse-address.ts';
import type { BrowserSubscription } from './encrypt-push.ts';

export const PushKey = named(
  'PushKey',
  Type.Object({
    publicKey: Type.String({
      description: 'The `applicationServerKey` of `PushManager.subscribe`: a point of P-256 in base64url.',
      examples: ['BDd3_hVL9fZi9Ybo2UUzA284WG5FZR30_95YeZJsiApwXKpNcF1rRPF3foIiBHXRdJI2Qhumhf6_LFTeZaNndIo'],
    }),
  }),
);

export const NewPushSubscription = body(
  {
    endpoint: httpUrl({
      description: 'An https URL of a push service on the internet, with the default port.',
    }),
    expirationTime: Type.Optional(nullable(Type.Number(), { description: 'Ignored.' })),
    keys: body({
      p256dh: Type.String({ pattern: '^[A-Za-z0-9_-]{87}$', description: 'A point of P-256 in base64url.' }),
      auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description: '16 bytes in base64url.' }),
    }),
  },
  {
    examples: [
      {
        endpoint: 'https://push.example.net/wpush/v2/gAAAAABk',
        expirationTime: null,
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
      },
    ],
  },
);

const id = { examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0b5'] };

export const PushSubscription = named('PushSubscriptionId', Type.Object({ id: Type.String(id) }));
export const PushSubscriptionParams = Type.Object({
  id: Type.String({ description: "The subscription's id.", ...id }),
});

/** @throws Problem `invalid_request` for an endpoint to which the server would not connect, or an unusable key */
export function readSubscription({
  endpoint,
  keys,
}: Static<typeof NewPushSubscription>): BrowserSubscription {
  const url = parseAddress(endpoint);
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '')
    throw invalid('endpoint', 'must be an https URL with the default port, without a user name');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (/^[\d.]+$|:/.test(host) ? !isPublicAddress(host) : !host.includes('.'))
    throw invalid('endpoint', 'must be on the internet');
  if (!isPoint(keys.p256dh)) throw invalid('keys.p256dh', 'is not a point of P-256');
  return { endpoint: url.href, ...keys };
}

function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url');
    return true;
  } catch {
    return false;
  }
}
