/**
 * Collects the licences of what the pages contain: of the packages whose modules a bundle has, and of fonts, icons and programs
 * that are copied. A release has no other place for them, because the packages themselves are not in it.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';

const web = import.meta.dirname;
/** npm installs a package here if the root has another version of it. */
const installations = [path.join(web, 'node_modules'), path.join(web, '..', 'node_modules')];
const collected = path.join(web, '.svelte-kit', 'packages');

/** Copied into the pages or loaded as data, so no bundle has their modules. */
const copiedPackages = ['@scalar/fastify-api-reference', 'maplibre-gl', 'world-atlas'];
const copiedFiles = [
  ['Lucide, the icons', 'src/lib/icons/LICENSE'],
  ['Bricolage Grotesque, a font', 'src/lib/styles/fonts/LICENSE-bricolage-grotesque'],
  ['Figtree, a font', 'src/lib/styles/fonts/LICENSE-figtree'],
] as const;

/** The licences of packages that contain none, as in their repositories. */
const missingFiles: Record<string, string> = {
  '@protomaps/basemaps': 'LICENSE-protomaps',
  pmtiles: 'LICENSE-protomaps',
};

/** Writes the names of the packages of each bundle to a file. */
export function collectPackages(): Plugin {
  return {
    name: 'collect-packages',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const names = new Set(modules.map(packageOf).filter((name) => name !== undefined));
      const entry = Object.keys(bundle).sort()[0] ?? 'empty';
      mkdirSync(collected, { recursive: true });
      const file = `${this.environment.name}-${entry.replaceAll('/', '-')}.json`;
      writeFileSync(path.join(collected, file), JSON.stringify([...names]));
    },
  };
}

/** Such as `@sveltejs/kit`; undefined for a module of the project. */
export const packageOf = (module: string): string | undefined =>
  /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(module)?.[1]?.replace('\\', '/');

/** The packages of the pages, sorted. */
export async function listPackages(): Promise<string[]> {
  const files = await readdir(collected);
  const lists = await Promise.all(files.map((file) => readFile(path.join(collected, file), 'utf8')));
  const names = new Set([...copiedPackages, ...lists.flatMap((list) => JSON.parse(list) as string[])]);
  return [...names].filter((name) => name !== '@potluck/client').sort();
}

/** @throws Error if a package has no licence */
export async function writeLicenses(): Promise<void> {
  const ofPackages = await Promise.all((await listPackages()).map(readLicense));
  const ofFiles = await Promise.all(
    copiedFiles.map(async ([name, file]) => chapter(name, await readFile(path.join(web, file), 'utf8'))),
  );
  const text = `What these pages are made of, beside the program itself, and its licences.\n\n${[...ofFiles, ...ofPackages].join('\n')}`;
  await writeFile(path.join(web, 'build', 'client', 'licenses.txt'), text);
}

async function readLicense(name: string): Promise<string> {
  const directory = installations.map((packages) => path.join(packages, name)).find(existsSync);
  if (!directory) throw new Error(`${name} is not installed`);
  const manifest = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as {
    version: string;
    license?: string;
  };
  const names = (await readdir(directory))
    .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    .sort();
  const files = names.map((file) => path.join(directory, file));
  if (files.length === 0) files.push(path.join(web, missingFiles[name] ?? 'missing'));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return chapter(`${name} ${manifest.version} (${manifest.license})`, texts.join('\n'));
}

const chapter = (title: string, text: string): string => `${'-'.repeat(72)}\n${title}\n\n${text.trim()}\n`;
