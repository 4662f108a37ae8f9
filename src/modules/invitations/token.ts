/**
 * The token of an invitation's link, `BASE/i/TOKEN`: 192 bits that the server derives from its key and the id of the invitation. The
 * table has a hash of it, by which it is found. The maker of the invitation sees the link again and again, although no table has it.
 */
import { keyedHash } from '#base';
import type { ReadyConfig } from '../../config/config.ts';
import { hashToken } from '../../lib/token-packing.ts';

const tokenBytes = 24;
const tokenPattern = /^[\w-]{32}$/;

const tokenOf = (secretKey: string, id: string): string =>
  keyedHash(secretKey, 'invitation', id).subarray(0, tokenBytes).toString('base64url');

export const invitationUrl = (
  { publicUrl, secretKey }: Pick<ReadyConfig, 'publicUrl' | 'secretKey'>,
  id: string,
): string => `${publicUrl}/i/${tokenOf(secretKey, id)}`;

export const hashOfInvitation = (secretKey: string, id: string): Buffer => hashToken(tokenOf(secretKey, id));

/** @returns null for a text that is no token */
export const hashInvitationToken = (token: string): Buffer | null =>
  tokenPattern.test(token) ? hashToken(token) : null;
