/** The scripts and styles that a browser loads for its first page. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

type Files = { imports: string[]; stylesheets: string[] };
type Route = { id: string; page: { layouts: number[]; leaf: number } | null };
type Manifest = { client: Files; nodes: (() => Promise<Files>)[]; routes: Route[] };

/** @returns `bytes`: compressed with Brotli where the server has such a file */
export async function measureFirstLoad(build: string, id: string): Promise<{ files: number; bytes: number }> {
  const file = pathToFileURL(path.join(build, 'server', 'manifest.js')).href;
  const { client, nodes, routes } = ((await import(file)) as { manifest: Manifest }).manifest;
  const page = routes.find((route) => route.id === id)?.page;
  if (!page) throw new Error(`no route has the id ${id}`);
  const parts = [...page.layouts, page.leaf].map((index) => nodes[index]?.());
  const names = new Set<string>();
  for (const { imports, stylesheets } of [client, ...(await Promise.all(parts))].filter((each) => !!each))
    for (const name of [...imports, ...stylesheets]) names.add(name);
  const sizes = Array.from(names, async (name) => {
    const file = path.join(build, 'client', name);
    return (await stat(`${file}.br`).catch(() => stat(file))).size;
  });
  return { files: names.size, bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
}
