/** @param token of the link of an invitation, as an address has it; empty without one */
export const invitationHeader = (token: string): { 'invitation-token'?: string } =>
  token === '' ? {} : { 'invitation-token': isHeader.test(token) ? token : 'unknown' };

/** A header cannot have every text. */
const isHeader = /^[\w-]{1,100}$/;
