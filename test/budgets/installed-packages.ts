/** Which packages of package-lock.json npm installs on this platform. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

type Package = {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  link?: boolean;
};
export type Lock = { packages: Record<string, Package> };

/** The root of the repository and its workspaces. */
const projects = ['', 'client', 'web'];

/** @returns the directories of the packages, without the projects of the repository */
export function listPackages({ packages }: Lock, { dev }: { dev: boolean }): string[] {
  const found = new Set(projects);
  // The iteration includes what is added during it.
  for (const directory of found) {
    for (const name of neededBy(packages[directory] ?? {}, dev && projects.includes(directory))) {
      const resolved = resolve(packages, directory, name);
      if (resolved !== null && runsHere(packages[resolved] ?? {})) found.add(resolved);
    }
  }
  return [...found].filter((directory) => !projects.includes(directory));
}

function neededBy(package_: Package, dev: boolean): string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta } = package_;
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  const development = dev ? package_.devDependencies : {};
  return [...Object.keys({ ...dependencies, ...optionalDependencies, ...development }), ...peers];
}

/** Looks for the package where Node.js does: in `node_modules` of the directory and of those above it. */
function resolve(packages: Lock['packages'], from: string, name: string): string | null {
  for (let directory = from; ; directory = path.dirname(directory)) {
    const top = directory === '.' ? '' : directory;
    const candidate = path.join(top, 'node_modules', name);
    // A link leads to a workspace.
    if (packages[candidate]) return packages[candidate].link ? null : candidate;
    if (top === '') return null;
  }
}

const libc = () => {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
};

function runsHere({ os, cpu, libc: libcs }: Package): boolean {
  const allows = (values: string[] | undefined, value: () => string) => !values || values.includes(value());
  return allows(os, () => process.platform) && allows(cpu, () => process.arch) && allows(libcs, libc);
}

/** The size of the directories on the disk, in MiB, with everything inside them. */
export function measureSize(root: string, directories: string[]): number {
  const output = execFileSync('du', ['-skc', ...directories], { cwd: root, encoding: 'utf8' });
  return Math.ceil(Number.parseInt(output.trim().split('\n').at(-1) ?? '', 10) / 1024);
}
