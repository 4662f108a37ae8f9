/**
 * Tokens of the links in mails to guests of private events, for the header `Invitation-Token`: `pm_…`, then base64url of the id of an
 * invitation (16 bytes; left out without one) and a MAC (16) over it and the event. The server derives them from its key, so no table
 * has them.
 *
 * With such a token, a code can be requested and used at the event, as with the link of the invitation. Without an invitation, the
 * token serves the people who see the event already. It does not show the event, and answers nothing without a code.
 */
import { timingSafeEqual } from 'node:crypto';
import { keyedHash, packId, unpackId } from '#base';
import { packedIdBytes, packToken, unpackToken } from '../../lib/token-packing.ts';

const prefix = 'pm_';
const macBytes = 16;

type MailedTo = { eventId: string; invitationId: string | null };

const macOf = (secretKey: string, { eventId, invitationId }: MailedTo): Buffer =>
  keyedHash(secretKey, 'mail to a guest', `${eventId} ${invitationId ?? ''}`).subarray(0, macBytes);

export const mailTokenOf = (secretKey: string, mailed: MailedTo): string =>
  packToken(prefix, [
    ...(mailed.invitationId === null ? [] : [packId(mailed.invitationId)]),
    macOf(secretKey, mailed),
  ]);

/** @returns null if the server made no such token for the event */
export function readMailToken(
  secretKey: string,
  token: string,
  eventId: string,
): Pick<MailedTo, 'invitationId'> | null {
  const long = unpackToken(prefix, packedIdBytes + macBytes, token);
  const mac = long?.subarray(packedIdBytes) ?? unpackToken(prefix, macBytes, token);
  const invitationId = long && unpackId(long);
  return mac && timingSafeEqual(mac, macOf(secretKey, { eventId, invitationId })) ? { invitationId } : null;
}
