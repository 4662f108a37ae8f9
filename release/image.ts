/**
 * `npm run release:image [-- --base IMAGE]`: builds the image of the archive that `npm run release` has built of this commit,
 * with buildah, and writes it to a file that `podman load` and `docker load` read. For another machine, name it as there:
 * `--platform linux-arm64`.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { versionOfBuild } from './build-version.ts';
import { runProgram } from './run-program.ts';

const root = path.join(import.meta.dirname, '..');
const containerfile = path.join(root, 'deploy', 'Containerfile');
/** The names of containers for the processors of Node.js. */
const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

type Image = { archive: string; platform: string; version: string };

/** The tag of an image has no plus sign. */
export const tagOf = (version: string): string => `localhost/potluck:${version.replace('+', '-')}`;

/** @param base default: that of the Containerfile @returns the file of the image */
export async function buildImage({ archive, platform, version }: Image, base?: string): Promise<string> {
  const [system = '', cpu = ''] = platform.split('-');
  const tag = tagOf(version);
  const file = archive.replace(/\.tar\.gz$/, '.image.tar');
  const args = [
    '--build-arg',
    `ARCHIVE=${path.basename(archive)}`,
    ...(base ? ['--build-arg', `BASE=${base}`] : []),
  ];
  const target = ['--os', system, '--arch', architectures[cpu] ?? cpu];
  // The format of OCI has no health check.
  const format = ['--format', 'docker', '--file', containerfile, '--tag', tag];
  await runProgram('buildah', ['build', ...format, ...target, ...args, path.dirname(archive)], root);
  await rm(file, { force: true });
  await runProgram('buildah', ['push', tag, `docker-archive:${file}:${tag}`], root);
  return file;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      platform: { type: 'string', default: `${process.platform}-${process.arch}` },
    },
  });
  const version = await versionOfBuild();
  const archive = path.join(root, 'dist', `potluck-${version}-${values.platform}.tar.gz`);
  console.log(await buildImage({ archive, platform: values.platform, version }, values.base));
}
