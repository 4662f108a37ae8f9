/**
 * Keyed hashes of phone numbers and codes. Without the server's key, the stored hashes cannot be searched for
 * numbers.
 */
import { keyedHash } from '../../lib/keyed-hash.ts';

/** A code confirms one kind of action and is not valid for another. */
export type CodePurpose = 'sign_in' | 'delete_account';

/** The key of a number's rows in `codes`. The tables of codes hold no phone number. @param phone E.164 */
export const hashPhone = (key: string, phone: string): Buffer => keyedHash(key, 'phone', phone);

export const hashCode = (key: string, phone: string, purpose: CodePurpose, code: string): Buffer =>
  keyedHash(key, 'code', `${purpose}\0${phone}\0${code}`);

/** The scope of the number's own daily limit in `code_sends`. */
export const numberScope = (phoneHash: Buffer): string => `number:${phoneHash.toString('base64url')}`;

/** The scope of the number's texts that unknown networks requested, without those whose codes were used. */
export const strangersScope = (phoneHash: Buffer): string => `strangers:${phoneHash.toString('base64url')}`;
