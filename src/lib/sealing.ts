/** Encryption of JSON values with AES-256-GCM: initialization vector, authentication tag, ciphertext. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ivLength = 12;
const tagLength = 16;

/** @param key 32 bytes */
export function seal(key: Buffer, value: object): Buffer {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** @throws Error if the key is another one, or the ciphertext was changed */
export function unseal<T>(key: Buffer, sealed: Buffer): T {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivLength), {
    authTagLength: tagLength,
  });
  decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
  const text = Buffer.concat([decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()]);
  return JSON.parse(text.toString()) as T;
}

/** @returns null if the key is another one, or the ciphertext was changed, as clients may do */
export function unsealOwn<T>(key: Buffer, sealed: Buffer): T | null {
  try {
    return unseal<T>(key, sealed);
  } catch {
    return null;
  }
}
