import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createSbom, listInstalled } from '../../release/sbom.ts';
import type { Program } from '../program.ts';

const root = path.join(import.meta.dirname, '..', '..');
/** The path that docs/operating.md names. */
const sbomFile = path.join(root, 'sbom', 'potluck.cdx.json');

export const supply: Program = {
  name: 'supply',
  expectation:
    'production dependencies: no advisory of severity high or critical, every signature valid, an SBOM ' +
    'that lists all packages',
  async run({ progress }) {
    progress('advisories');
    const audit = await checkAdvisories();
    progress('signatures');
    const signatures = await checkSignatures();
    progress('SBOM');
    const sbom = await writeSbom();
    const parts = [audit, signatures, await checkIntegrity(), sbom];
    const ok = parts.every((part) => part.ok);
    return {
      result: parts.map(({ text }) => text).join('; '),
      ok,
      ...(ok && parts.some(({ isUnanswered }) => isUnanswered) && { isSkipped: true as const }),
    };
  },
};

type Part = {
  text: string;
  ok: boolean;
  /** The registry could not be asked. The program does not count as passed then. */
  isUnanswered?: true;
};

/** The report of npm about an error of its own. */
type NpmError = {
  message?: string;
  statusCode?: number;
  error?: { code?: string; summary?: string };
};

/** Errors of the connection, and statuses of a registry that has no such endpoint or fails. */
const noAnswer =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|E?TIMEDOUT|E405|E5\d\d)\b/;

/** Describes a check without a result. The check fails, unless the reason is that nothing answered npm's question. */
function withoutResult(check: string, report: NpmError | null, err: string): Part {
  const { message, statusCode, error } = report ?? {};
  const reason = firstLine(message || error?.summary || err);
  const isUnanswered = (statusCode ?? 0) >= 400 || noAnswer.test(`${error?.code} ${reason}`);
  return {
    text: `${check} could not be checked (${reason})`,
    ok: isUnanswered,
    ...(isUnanswered && { isUnanswered }),
  };
}

type AuditReport = NpmError & {
  metadata?: { vulnerabilities?: { high: number; critical: number; total: number } };
};

async function checkAdvisories(): Promise<Part> {
  const { out, err } = await npm('audit', '--omit=dev', '--json', ...onceMore);
  const report = parse<AuditReport>(out);
  const found = report?.metadata?.vulnerabilities;
  if (!found) return withoutResult('advisories', report, err);
  const { high, critical, total } = found;
  return { text: `${total} advisories, ${high + critical} high or critical`, ok: high + critical === 0 };
}

type Signatures = NpmError & {
  invalid?: unknown[];
  missing?: unknown[];
};

async function checkSignatures(): Promise<Part> {
  const { out, err, code } = await npm('audit', 'signatures', '--json', '--omit=dev', ...onceMore);
  const report = parse<Signatures>(out);
  if (!report?.invalid || !report.missing) return withoutResult('signatures', report, err);
  const { invalid, missing } = report;
  const isRight = code === 0 && invalid.length + missing.length === 0;
  return { text: `${invalid.length} invalid and ${missing.length} missing signatures`, ok: isRight };
}

async function writeSbom(): Promise<Part> {
  try {
    const { text: sbom, listed, missing } = await createSbom(root);
    await mkdir(path.dirname(sbomFile), { recursive: true });
    await writeFile(sbomFile, sbom);
    const text = `the SBOM lists ${listed} of the ${listed + missing.length} packages that production installs`;
    return {
      text: missing.length > 0 ? `${text}, not ${missing.join(', ')}` : text,
      ok: missing.length === 0,
    };
  } catch (error) {
    return { text: `no SBOM: ${firstLine((error as Error).message)}`, ok: false };
  }
}

/** npm refuses a package whose contents do not match the hash in the lock file. */
async function checkIntegrity(): Promise<Part> {
  const packages = await listInstalled(root);
  const unpinned = packages.filter(({ integrity }) => !integrity?.startsWith('sha512-'));
  const text = `${packages.length - unpinned.length} of ${packages.length} packages pinned to a SHA-512`;
  return { text, ok: unpinned.length === 0 };
}

/** Without a network, npm by default takes more than a minute to give up. */
const onceMore = ['--fetch-retries=1', '--fetch-retry-mintimeout=2000'];

type CommandResult = { code: number; out: string; err: string };

function npm(...args: string[]): Promise<CommandResult> {
  // The reports exceed the default `maxBuffer`.
  const options = { cwd: root, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('npm', args, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err: err || (error?.message ?? '') }),
    );
  });
}

const firstLine = (text: string) => text.trim().split('\n')[0] || 'no reason given';

function parse<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
