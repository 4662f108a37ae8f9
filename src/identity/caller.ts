/** The identity by which policies decide what a person may see and do. */
export type Viewer = { id: string; role: 'user' | 'admin' };

/** The authenticated sender of a request: the person, and the session and token of the request. */
export type Caller = Viewer & { sessionId: string; accessHash: Buffer };
