/**
 * Device tokens (`pd_…`): base64url of random bytes (16) | time of expiry (6) | MAC (16). The token proves that its device has
 * signed in with a contact, and that contact's limits then treat it apart from strangers. It authenticates no request.
 *
 * The MAC includes the contact, so a token is worthless for any other contact, and the database stores none.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { dayMs, keyedHash } from '#base';
import { packToken, unpackToken } from '../../../lib/token-packing.ts';

const prefix = 'pd_';
const [randomLength, timeLength, macLength] = [16, 6, 16];

/** Longer than a session, so that the device is known when its session has ended. Chromium keeps no cookie for longer. */
export const deviceTokenMs = 400 * dayMs;

export function newDeviceToken(key: string, contactHash: Buffer, now: Date): string {
  const expiry = Buffer.alloc(timeLength);
  expiry.writeUIntBE(now.getTime() + deviceTokenMs, 0, timeLength);
  const signed = Buffer.concat([randomBytes(randomLength), expiry]);
  return packToken(prefix, [signed, macOf(key, contactHash, signed)]);
}

/** Returns what identifies the device; null if the token has expired, or was not issued for the contact. */
export function readDeviceToken(key: string, contactHash: Buffer, token: string, now: Date): Buffer | null {
  const bytes = unpackToken(prefix, randomLength + timeLength + macLength, token);
  if (!bytes) return null;
  const signed = bytes.subarray(0, -macLength);
  if (!timingSafeEqual(bytes.subarray(-macLength), macOf(key, contactHash, signed))) return null;
  return signed.readUIntBE(randomLength, timeLength) > now.getTime()
    ? signed.subarray(0, randomLength)
    : null;
}

const macOf = (key: string, contactHash: Buffer, signed: Buffer): Buffer =>
  keyedHash(key, 'device', Buffer.concat([contactHash, signed])).subarray(0, macLength);
