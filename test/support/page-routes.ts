/** The routes of the pages, as the built server knows them, and the fields that each of them reads. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildDirectory } from '../../src/server/web/built-files.ts';

export type PageRoute = {
  /** Such as `/e/[id]/(organizer)/edit`. */
  id: string;
  /** The names of the forms that a page takes; `POST` for a route that is no page. */
  actions: string[];
  /** Whether the route answers GET. */
  isReadable: boolean;
  /** The names of the fields of forms and addresses that its files, and the files that these import, name. */
  names: string[];
};

type Manifest = {
  nodes: (() => Promise<{ server?: { actions?: Record<string, unknown> } }>)[];
  routes: { id: string; page: { leaf: number } | null; endpoint: (() => Promise<object>) | null }[];
};

const source = path.join(buildDirectory, '..', 'src');

export async function listPageRoutes(): Promise<PageRoute[]> {
  const file = path.join(buildDirectory, 'server', 'manifest.js');
  const { manifest } = (await import(pathToFileURL(file).href)) as { manifest: Manifest };
  return Promise.all(
    manifest.routes.map(async ({ id, page, endpoint }) => {
      const node = page ? await manifest.nodes[page.leaf]?.() : undefined;
      const methods = endpoint ? Object.keys(await endpoint()) : [];
      return {
        id,
        actions: [...Object.keys(node?.server?.actions ?? {}), ...methods.filter((name) => name === 'POST')],
        isReadable: page !== null || methods.includes('GET'),
        names: await namesOf(id),
      };
    }),
  );
}

/** A path of a route. @param id in place of its parameter */
export const pathOf = (route: string, id: string): string =>
  route.replaceAll(/\/\([^)]*\)|\/\[\[[^\]]*\]\]/g, '').replaceAll(/\[[^\]]*\]/g, id) || '/';

async function namesOf(route: string): Promise<string[]> {
  const folder = path.join(source, 'routes', route);
  const files = ['+page.server.ts', '+page.svelte', '+server.ts', '+layout.server.ts'];
  const texts = await readImports(files.map((name) => path.join(folder, name)).filter(existsSync), 2);
  return [...new Set(texts.flatMap(namesIn))].sort();
}

/** The texts of files, and of those that they import over a number of steps. */
async function readImports(files: string[], steps: number): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  if (steps === 0) return texts;
  const imported = texts.flatMap((text, i) =>
    [...text.matchAll(/from '(#lib|\.)\/([^']+\.ts)'/g)].map(([, base, name]) =>
      path.join(base === '#lib' ? path.join(source, 'lib') : path.dirname(`${files[i]}`), `${name}`),
    ),
  );
  return [...texts, ...(await readImports([...new Set(imported)].filter(existsSync), steps - 1))];
}

/** Names that code reads or that controls have. */
const namesIn = (text: string): string[] =>
  [/\b(?:text|get|getAll|has|integer|day|column)\('(\w+)'/g, /\bname="(\w+)"/g, /^ {2}(\w+): \{\s+label: /gm]
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => `${name}`))
    .concat(
      [...text.matchAll(/\btexts\(\w+, ([^)]*)\)/g)].flatMap(([, list]) =>
        [...`${list}`.matchAll(/\w+/g)].map(String),
      ),
    );
