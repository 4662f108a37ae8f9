/** A client for the API of Potluck. */
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export * from './generated/index.ts';
export { type ElementOf, iterate, iteratePages, type PageOf } from './iterate.ts';
export { type ListenOptions, listen, type OpenStream } from './listen.ts';
export { isProblem, ProblemError, ResponseError } from './problem-error.ts';
export type { RetryOptions, Send } from './retry.ts';
export { browserStorage, memoryStorage, type TokenStorage, type Tokens } from './storage.ts';
