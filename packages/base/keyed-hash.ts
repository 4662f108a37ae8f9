import { createHmac } from 'node:crypto';

/**
 * Returns the HMAC-SHA-256 of the data under the server's key. Hashes for different purposes are unrelated.
 */
export const keyedHash = (key: string, purpose: string, data: Buffer | string): Buffer =>
  createHmac('sha256', key).update(`${purpose}\0`).update(data).digest();
