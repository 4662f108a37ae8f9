/** The identity by which policies decide what a person may see and do. */
export type Viewer = {
  id: string;
  role: 'user' | 'admin';
  /** False for a guest without an account, whose token is valid for its event alone. Left out for accounts. */
  hasAccount?: boolean;
};

/** The authenticated sender of a request: the person, and the session and token of the request. */
export type Caller = Viewer & UnlockedCaller;

/**
 * The sender of a request whose session was not verified for it. It has no role, so no policy decides by it: only a transaction
 * that locks the account and the session (act-as.ts) makes a viewer of it.
 */
export type UnlockedCaller = {
  id: string;
  sessionId: string;
  accessHash: Buffer;
  /** False for a guest without an account, who belongs to one event. */
  hasAccount: boolean;
  /** The only event in which the token is valid, of a guest token; null for other tokens. */
  eventId: string | null;
};

/**
 * The caller of a command that another person gives, in a transaction that has locked the person: only `applyIn` of the batch
 * writers takes it, which compares no session.
 */
export const onBehalfOf = ({ id, hasAccount }: { id: string; hasAccount: boolean }): UnlockedCaller => ({
  ...{ id, hasAccount, eventId: null },
  ...{ sessionId: '', accessHash: Buffer.alloc(0) },
});
