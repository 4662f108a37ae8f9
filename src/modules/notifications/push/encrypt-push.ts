/** Encrypts pushes for browsers and signs them for push services. */
import webPush from 'web-push';
import type { PushRequest } from './post-push.ts';
import type { VapidKeys } from './vapid-keys.ts';

/** Address and keys of a browser, as `PushSubscription.toJSON()` gives them. */
export type BrowserSubscription = { endpoint: string; p256dh: string; auth: string };

/** How long a push service stores a push for a browser that is not connected. */
const ttlSeconds = 24 * 60 * 60;

/**
 * Encrypts a payload of at most 3,993 bytes (RFC 8291), and signs the request (RFC 8292).
 * @param topic a push that is still stored is replaced by a newer one of the same topic; 32 characters of base64url
 * @param subject the URL of this server, for the operator of the push service
 */
export function encryptPush(
  { endpoint, p256dh, auth }: BrowserSubscription,
  payload: string,
  { keys, subject, topic }: { keys: VapidKeys; subject: string; topic: string },
): PushRequest {
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject, ...keys },
    contentEncoding: 'aes128gcm',
    TTL: ttlSeconds,
    topic,
  });
  return { endpoint, headers, body };
}
