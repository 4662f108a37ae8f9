/** Removes from an installation what no program reads while it runs: half of the bytes of the packages. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Declarations, maps of sources, documents and tests. */
const unused = /\.(?:d\.[cm]?ts|map|md|markdown|test\.ts)$/i;
/** Also as documents, such as `LICENSE.md`: many packages have their only licence in one. */
const licence = /^(?:licen[cs]es?|copying|copyright|notice|third[-_ ]?party)/i;

/** @param name of a file of a package, without its directory */
export const isUnused = (name: string): boolean =>
  unused.test(name) && (!licence.test(name) || /\.d\.[cm]?ts$|\.map$/i.test(name));

/** The headers and the manual of Node.js. */
const unusedOfNode = ['include', 'share'];

export async function removeUnused(installation: string): Promise<void> {
  const packages = path.join(installation, 'node_modules');
  const nodes = (await readdir(packages)).filter((name) => /^node-(?:bin-)?(?:linux|darwin)-/.test(name));
  for (const node of nodes)
    for (const directory of unusedOfNode)
      await rm(path.join(packages, node, directory), { recursive: true, force: true });
  for (const directory of ['node_modules', 'packages', 'src', 'web'])
    await removeFiles(path.join(installation, directory));
}

async function removeFiles(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && isUnused(entry.name)) await rm(path.join(entry.parentPath, entry.name));
  }
}
