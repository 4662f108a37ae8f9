/** Where the tokens of a session are kept. */

export type Tokens = {
  accessToken: string;
  refreshToken: string;
  /** When the access token expires, in ms since 1970 by the clock of this machine. */
  expiresAt: number;
};

export type TokenStorage = {
  /** Returns null if no one is signed in. */
  read(): Tokens | null | Promise<Tokens | null>;
  /** Null removes the tokens. */
  write(tokens: Tokens | null): void | Promise<void>;
  /**
   * Runs `work` while no other tab or process that shares the storage runs its own. A refresh token is valid
   * once: two refreshes with the same one can end the session. Needed only for a storage that is shared.
   */
  lock?<T>(work: () => Promise<T>): Promise<T>;
};

/** Keeps the tokens until the program or the page ends. */
export function memoryStorage(tokens: Tokens | null = null): TokenStorage {
  let current = tokens;
  return {
    read: () => current,
    write: (next) => {
      current = next;
    },
  };
}

/**
 * Keeps the tokens in `localStorage`, shared by the tabs of an origin. Every script of the page can read them.
 * @param key the key in `localStorage`, and the name of the lock
 */
export function browserStorage(key = 'potluck'): TokenStorage {
  return {
    read: () => parse(localStorage.getItem(key)),
    write: (tokens) => {
      if (tokens) localStorage.setItem(key, JSON.stringify(tokens));
      else localStorage.removeItem(key);
    },
    // Browsers have `navigator.locks` only on HTTPS and on loopback addresses.
    lock: async (work) => (navigator.locks ? await navigator.locks.request(key, work) : work()),
  };
}

/** Returns null for a text that this package has not written. */
function parse(text: string | null): Tokens | null {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
