/** What the registry of npm knows of the packages of a release: advisories, and signatures that are not its own. */
import { execFile } from 'node:child_process';

/** `faults` stop a release. `unanswered`: what could not be asked. */
export type Audit = { faults: string[]; unanswered: string[] };

/** From these severities on, an advisory stops a release. */
const severe = new Set(['high', 'critical']);

type Advisories = { vulnerabilities: Record<string, { severity: string }> };
type Signatures = { invalid: { name: string; version: string }[] };

/** Asks about the packages of production that the lock file of a directory names, and that are installed in it. */
export async function auditPackages(directory: string): Promise<Audit> {
  const [advisories, signatures] = await Promise.all([
    askNpm<Advisories>(directory, ['--omit=dev'], 'vulnerabilities'),
    askNpm<Signatures>(directory, ['signatures'], 'invalid'),
  ]);
  return {
    faults: [
      ...Object.entries(advisories.answer?.vulnerabilities ?? {})
        .filter(([, { severity }]) => severe.has(severity))
        .map(([name, { severity }]) => `${name} has an advisory of severity ${severity} (npm audit).`),
      ...(signatures.answer?.invalid ?? []).map(
        ({ name, version }) => `${name}@${version} does not have the signature of the registry.`,
      ),
    ],
    unanswered: [
      ...(advisories.answer ? [] : [`There was no answer about advisories: ${advisories.reason}`]),
      ...(signatures.answer ? [] : [`There was no answer about signatures: ${signatures.reason}`]),
    ],
  };
}

/**
 * Runs `npm audit`, whose exit code does not tell findings from failures.
 * @param field that an answer has @returns the answer; null, and the reason, if the registry gave none
 */
function askNpm<T>(
  cwd: string,
  args: string[],
  field: keyof T & string,
): Promise<{ answer: T; reason: '' } | { answer: null; reason: string }> {
  // A registry that does not answer costs half a minute.
  const options = ['--json', '--fetch-retries=0', '--fetch-timeout=30000'];
  const limits = { cwd, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('npm', ['audit', ...args, ...options], limits, (error, stdout, stderr) => {
      const answer = parse(stdout);
      if (answer !== null && field in answer) return resolve({ answer: answer as T, reason: '' });
      const [line = ''] = (messageOf(answer) ?? (stderr || error?.message || '')).split('\n');
      resolve({ answer: null, reason: line.trim() || 'npm said nothing' });
    });
  });
}

/** What npm writes about a failed request, in one of two forms. */
function messageOf(answer: { message?: unknown; error?: { summary?: unknown } } | null): string | null {
  const message = answer?.message ?? answer?.error?.summary;
  return typeof message === 'string' && message !== '' ? message : null;
}

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
