/** Runs `doctor` in a process of its own, and searches its output for secrets. */
import assert from 'node:assert/strict';
import type { Finding } from '../../src/doctor/finding.ts';
import { potluck, type RunOptions } from '../support/processes.ts';

/** Of all configurations in the tests of `doctor`. */
export const secrets = {
  key: 'a8f3-the-key-of-the-doctor-tests-5c1e',
  database: 'pass%2Fword-of-the-database',
  mail: 'pass%40word-of-mail',
  token: 'token-of-the-sms-service',
  client: 'secret-of-the-oidc-client',
  s3: 'secret-of-the-bucket',
};
const hidden = Object.values(secrets).flatMap((secret) => [
  secret,
  decodeURIComponent(secret),
  Buffer.from(decodeURIComponent(secret)).toString('base64'),
]);

export type Examination = {
  code: number | NodeJS.Signals | null;
  findings: Finding[];
  /** The findings of a check, as `STATE TEXT | NEXT`. */
  of(check: string): string[];
  broken: string[];
};

export async function doctor(
  env: Record<string, string>,
  { args = [], ...options }: RunOptions & { args?: string[] } = {},
): Promise<Examination> {
  const { ended, output } = potluck(['doctor', '--json', ...args], {
    ...options,
    env: { PORT: '9', ...env },
  });
  const code = await ended;
  const all = output.out + output.err;
  for (const secret of hidden) assert.ok(!all.includes(secret), `the output has ${secret}: ${all}`);
  assert.doesNotMatch(all, /\/\/[^/\s"]*:[^/\s"]*@/, 'the output has an address with a password');
  assert.ok(output.out.startsWith('['), all);
  const findings = JSON.parse(output.out) as Finding[];
  const broken = findings.filter(({ state }) => state === 'broken').map(({ check }) => check);
  assert.equal(code, broken.length > 0 ? 1 : 0, all);
  for (const { state, text, next } of findings) {
    assert.match(text, /[.)?]$/);
    if (state === 'broken' || state === 'warning') assert.ok(next, text);
  }
  return {
    code,
    findings,
    broken: [...new Set(broken)],
    of: (check) =>
      findings
        .filter((finding) => finding.check === check)
        .map(({ state, text, next }) => [`${state} ${text}`, ...(next ? [next] : [])].join(' | ')),
  };
}
