import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Program } from '../program.ts';

const root = path.join(import.meta.dirname, '..', '..');
/** Where docs/operating.md says that it is. */
const sbomFile = path.join(root, 'sbom', 'potluck.cdx.json');

export const supply: Program = {
  name: 'supply',
  promise:
    'what production installs: no advisory that is high or critical, every signature good, an SBOM that names all of it',
  async run({ progress }) {
    progress('advisories');
    const audit = await askAudit();
    progress('signatures');
    const signatures = await askSignatures();
    progress('SBOM');
    const sbom = await makeSbom();
    const parts = [audit, signatures, await countHashed(), sbom];
    return { figure: parts.map(({ text }) => text).join('; '), ok: parts.every(({ ok }) => ok) };
  },
};

type Part = { text: string; ok: boolean };

/** What the registry does not answer is not known, and so not shown: it counts as a failure, with the reason. */
const unasked = (what: string, why: string): Part => ({
  text: `${what} could not be asked (${why})`,
  ok: false,
});

type AuditReport = {
  message?: string;
  error?: { summary?: string };
  metadata?: { vulnerabilities?: { high: number; critical: number; total: number } };
};

async function askAudit(): Promise<Part> {
  const { out, err } = await npm('audit', '--omit=dev', '--json');
  const report = parse<AuditReport>(out);
  const found = report?.metadata?.vulnerabilities;
  if (!found) return unasked('advisories', firstLine(report?.message ?? report?.error?.summary ?? err));
  const { high, critical, total } = found;
  return { text: `${total} advisories, ${high + critical} high or critical`, ok: high + critical === 0 };
}

type Signatures = {
  invalid?: unknown[];
  missing?: unknown[];
  error?: { summary?: string };
  message?: string;
};

async function askSignatures(): Promise<Part> {
  const { out, err, code } = await npm('audit', 'signatures', '--json', '--omit=dev');
  const report = parse<Signatures>(out);
  if (!report?.invalid || !report.missing) {
    return unasked('signatures', firstLine(report?.message ?? report?.error?.summary ?? err));
  }
  const { invalid, missing } = report;
  const isRight = code === 0 && invalid.length + missing.length === 0;
  return { text: `${invalid.length} invalid and ${missing.length} missing signatures`, ok: isRight };
}

type Lock = {
  packages: Record<
    string,
    { version?: string; integrity?: string; dev?: boolean; link?: boolean; name?: string }
  >;
};
type Component = { purl?: string; 'bom-ref': string };
type Sbom = {
  bomFormat?: string;
  metadata?: { component?: Component };
  components?: Component[];
  dependencies?: { ref: string; dependsOn?: string[] }[];
};

/**
 * Of everything, less what is for development alone: npm's own `--omit dev` leaves out what both need. What has to be
 * in it is taken from the list that npm wrote when it installed, not from the SBOM.
 */
async function makeSbom(): Promise<Part> {
  const { out, err, code } = await npm('sbom', '--sbom-format', 'cyclonedx');
  const sbom = parse<Sbom>(out);
  if (code !== 0 || sbom?.bomFormat !== 'CycloneDX') {
    return { text: `no SBOM: ${firstLine(err)}`, ok: false };
  }
  const wanted = await installed();
  const names = new Set(wanted.map(({ purl }) => purl));
  const components = (sbom.components ?? []).filter((component) => names.has(nameOf(component)));
  const refs = new Set([sbom.metadata?.component, ...components].map((component) => component?.['bom-ref']));
  const dependencies = (sbom.dependencies ?? [])
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  await mkdir(path.dirname(sbomFile), { recursive: true });
  await writeFile(sbomFile, `${JSON.stringify({ ...sbom, components, dependencies }, null, 2)}\n`);
  const named = new Set(components.map(nameOf));
  const left = [...names].filter((purl) => !named.has(purl));
  const text = `SBOM names ${named.size} of the ${names.size} packages that production installs`;
  return { text: left.length > 0 ? `${text}, not ${left.join(', ')}` : text, ok: left.length === 0 };
}

const nameOf = ({ purl = '' }: Component) => decodeURIComponent(purl).split('?')[0] ?? '';

/** npm refuses a package whose bytes are others than those that the lock file has the hash of. */
async function countHashed(): Promise<Part> {
  const packages = await installed();
  const bare = packages.filter(({ integrity }) => !integrity?.startsWith('sha512-'));
  const text = `${packages.length - bare.length} of ${packages.length} held to a SHA-512`;
  return { text, ok: bare.length === 0 };
}

/** The packages of node_modules that are not for development alone, as npm wrote them down when it installed them. */
async function installed(): Promise<{ purl: string; integrity: string | undefined }[]> {
  const file = path.join(root, 'node_modules', '.package-lock.json');
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as Lock;
  const needed = Object.entries(packages).filter(([, { dev, link }]) => !dev && !link);
  return needed.map(([place, { name, version, integrity }]) => {
    const known = name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { purl: `pkg:npm/${known}@${version}`, integrity };
  });
}

type Ran = { code: number; out: string; err: string };

function npm(...args: string[]): Promise<Ran> {
  // A report of all packages is larger than what Node keeps of an output by itself.
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
