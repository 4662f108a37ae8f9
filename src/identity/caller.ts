/** Somebody, as far as rights go. */
export type Viewer = { id: string; role: 'user' | 'admin' };

/** Who sent a request, and the session and token that it was sent with. */
export type Caller = Viewer & { sessionId: string; accessHash: Buffer };
