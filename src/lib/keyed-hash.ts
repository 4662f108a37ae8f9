import { createHmac } from 'node:crypto';

/** HMAC-SHA-256 under the server's key; hashes for different purposes never meet. */
export const keyedHash = (key: string, purpose: string, data: Buffer | string): Buffer =>
  createHmac('sha256', key).update(`${purpose}\0`).update(data).digest();
