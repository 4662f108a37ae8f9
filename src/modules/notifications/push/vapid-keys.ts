/** The key pair by which push services recognize this server (VAPID, RFC 8292). */
import { createECDH } from 'node:crypto';
import { keyedHash } from '#base';

/** In base64url: an uncompressed point and a number of the curve P-256. */
export type VapidKeys = { publicKey: string; privateKey: string };

/**
 * Derives the key pair from SECRET_KEY, so all servers have the same pair and there is no further secret to keep.
 * A browser's subscription is bound to the public key: with another SECRET_KEY, browsers must subscribe again.
 */
export function deriveVapidKeys(secretKey: string): VapidKeys {
  const pair = createECDH('prime256v1');
  for (let n = 0; ; n++) {
    const candidate = keyedHash(secretKey, 'vapid', `${n}`);
    try {
      pair.setPrivateKey(candidate);
    } catch {
      // One hash in four billion is not below the order of the curve.
      continue;
    }
    return {
      publicKey: pair.getPublicKey('base64url'),
      privateKey: candidate.toString('base64url'),
    };
  }
}
