/**
 * Sign-ins that have begun at the provider. What the server must know when the person comes back is in a cookie, encrypted with
 * the server's key. A sign-in therefore ends only in the browser in which it began, and one that never ends leaves nothing on the
 * server.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { keyedHash } from '#base';
import type { ReadyConfig } from '../../../config/config.ts';
import { browserCookieName, readCookies, setCookie } from '../../../http/browser-cookie.ts';
import type { Caller } from '../../../identity/caller.ts';
import { seal, unsealOwn } from '../../../lib/sealing.ts';

/** As long as a person may need at the provider. */
const lifetimeMs = 10 * 60_000;

export type Flow = {
  /** Random values that bind the response, the ID token and the code to this sign-in. */
  state: string;
  nonce: string;
  verifier: string;
  /** What the page gets back. */
  next: string;
  /** The session whose account gets the identity; null for a sign-in. */
  caller: Caller | null;
};

/** `accessHash` of the caller: in base64url. */
type StoredFlow = Omit<Flow, 'caller'> & {
  caller: (Omit<Caller, 'accessHash'> & { accessHash: string }) | null;
  expiresAt: number;
};

type FlowConfig = Pick<ReadyConfig, 'publicUrl' | 'secretKey'>;

/** The name of the cookie that remembers a sign-in which has begun at the provider. */
const cookieName = (config: FlowConfig): string =>
  browserCookieName(config).replace('potluck', 'potluck-oidc');

const sealKey = (secretKey: string): Buffer => keyedHash(secretKey, 'oidc-flow', '');
const random = () => randomBytes(32).toString('base64url');

export const newFlow = (next: string, caller: Caller | null): Flow => ({
  state: random(),
  nonce: random(),
  verifier: random(),
  next,
  caller,
});

/** The `Set-Cookie` that remembers a flow. */
export function flowCookie(config: FlowConfig, { caller, ...flow }: Flow, now: Date): string {
  const stored: StoredFlow = {
    ...flow,
    caller: caller && { ...caller, accessHash: caller.accessHash.toString('base64url') },
    expiresAt: now.getTime() + lifetimeMs,
  };
  const sealed = seal(sealKey(config.secretKey), stored);
  return setCookie(config, cookieName(config), sealed.toString('base64url'), lifetimeMs);
}

/** The `Set-Cookie` that forgets it. */
export const clearedFlowCookie = (config: FlowConfig): string => setCookie(config, cookieName(config), '', 0);

/** @returns the flow of this browser that has the state; null if there is none, or if it has expired */
export function readFlow(
  config: FlowConfig,
  { headers }: Pick<FastifyRequest, 'headers'>,
  state: string,
  now: Date,
): Flow | null {
  const [cookie = ''] = readCookies(headers.cookie ?? '', cookieName(config));
  const stored = unsealOwn<StoredFlow>(sealKey(config.secretKey), Buffer.from(cookie, 'base64url'));
  if (!stored || stored.state !== state || stored.expiresAt <= now.getTime()) return null;
  const { expiresAt: _, caller, ...flow } = stored;
  return {
    ...flow,
    caller: caller && { ...caller, accessHash: Buffer.from(caller.accessHash, 'base64url') },
  };
}
