/** @param token of the link of an invitation, as an address has it; empty without one */
export const invitationHeader = (token: string): { 'invitation-token'?: string } =>
  token === '' ? {} : { 'invitation-token': isHeader.test(token) ? token : 'unknown' };

/** Whether the token is that of the link of an invitation, which shows the event. That of a mail to a guest has another length. */
export const showsEvent = (token: string): boolean => token.length === 32;

/** A header cannot have every text. */
const isHeader = /^[\w-]{1,100}$/;
