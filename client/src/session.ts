/** The tokens of the person who is signed in, and their renewal. */
import type { TokenPair } from './generated/types.gen.ts';
import { isProblem } from './problem-error.ts';
import type { TokenStorage, Tokens } from './storage.ts';

/** An access token that expires within this time is renewed before it is sent. */
const marginMs = 5_000;

/** Sends a refresh token. @throws ProblemError, and the errors of `fetch` */
export type Refresh = (refreshToken: string) => Promise<TokenPair>;

export type SessionOptions = {
  storage: TokenStorage;
  refresh: Refresh;
  onSessionChange?: ((isSignedIn: boolean) => void) | undefined;
};

export class ClientSession {
  readonly #options: SessionOptions;
  /** The newest change of the tokens; the next one waits for it. */
  #lastChange: Promise<unknown> = Promise.resolve();
  #renewal: Promise<string | undefined> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Whether the storage has tokens. The server may have ended the session in the meantime. */
  async isSignedIn(): Promise<boolean> {
    return (await this.#options.storage.read()) !== null;
  }

  /**
   * Returns an access token that has not expired by the clock of this machine, or undefined if no one is
   * signed in.
   * @throws as `renew`
   */
  async accessToken(): Promise<string | undefined> {
    const tokens = await this.#options.storage.read();
    if (!tokens) return undefined;
    return Date.now() < tokens.expiresAt - marginMs ? tokens.accessToken : this.renew(tokens.accessToken);
  }

  /**
   * Returns an access token other than `rejected`, or undefined if the session has ended. Requests that call
   * this at the same time share one refresh; one that comes later finds the new token in the storage.
   * @throws ProblemError, and the errors of `fetch`, if the refresh failed for another reason
   */
  renew(rejected: string): Promise<string | undefined> {
    this.#renewal ??= this.#change(() => this.#refresh(rejected)).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Stores the tokens of a sign-in. */
  begin(pair: TokenPair): Promise<void> {
    return this.#change(async () => {
      await this.#options.storage.write(toTokens(pair));
      this.#options.onSessionChange?.(true);
    });
  }

  /** Removes the tokens from the storage. The operation `logout` does so as well, and ends the session. */
  end(): Promise<void> {
    return this.#change(() => this.#end());
  }

  async #refresh(rejected: string): Promise<string | undefined> {
    const { storage, refresh } = this.#options;
    const tokens = await storage.read();
    // Another request, tab or process has renewed the tokens, or the person has signed out.
    if (tokens?.accessToken !== rejected) return tokens?.accessToken;
    try {
      const next = toTokens(await refresh(tokens.refreshToken));
      await storage.write(next);
      return next.accessToken;
    } catch (error) {
      if (!isProblem(error, 'refresh_token_invalid', 'invalid_request')) throw error;
      await this.#end();
      return undefined;
    }
  }

  async #end(): Promise<void> {
    await this.#options.storage.write(null);
    this.#options.onSessionChange?.(false);
  }

  /** Runs changes one after the other, so that a refresh cannot overwrite the tokens of a later sign-in. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    const { storage } = this.#options;
    const change = this.#lastChange.then(() => (storage.lock ? storage.lock(work) : work()));
    this.#lastChange = change.catch(() => {});
    return change;
  }
}

const toTokens = ({ accessToken, refreshToken, expiresIn }: TokenPair): Tokens => ({
  accessToken,
  refreshToken,
  expiresAt: Date.now() + expiresIn * 1000,
});
