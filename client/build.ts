/**
 * Builds the package: generates operations and types from the OpenAPI document of the server in this
 * repository, and compiles them with the files in src/. Without changes since the last build, it does nothing.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { adaptDocument, type Document, listIdempotentOperations, repeatablePostsPattern } from './openapi.ts';

const root = path.join(import.meta.dirname, '..');
const client = import.meta.dirname;
const generated = path.join(client, 'src', 'generated');
const dist = path.join(client, 'dist');
/** Holds the hash of what the last build was made of: the document, this package, and the installed versions. */
export const clientStamp = path.join(dist, '.inputs');
/** Holds the hash of the sources for which the stamp is known to be right. */
const sourcesStamp = path.join(dist, '.sources');

const run = promisify(execFile);

export async function buildClient(): Promise<void> {
  const ofPackage = await hashFiles([
    path.join(root, 'package-lock.json'),
    ...['build.ts', 'openapi.ts', 'package.json', 'tsconfig.json'].map((file) => path.join(client, file)),
    ...(await listSources(path.join(client, 'src'))),
  ]);
  const sources = ofPackage + (await hashServer());
  if (await isStamped(sourcesStamp, sources)) return;
  // Most changes of the server leave its document as it is, and then nothing else is built again.
  const document = await readDocument();
  const inputs = createHash('sha256').update(ofPackage).update(JSON.stringify(document)).digest('hex');
  if (!(await isStamped(clientStamp, inputs))) {
    await rm(dist, { recursive: true, force: true });
    await generate(document);
    await compile();
    await writeFile(clientStamp, inputs);
  }
  await writeFile(sourcesStamp, sources);
}

const isStamped = async (file: string, hash: string): Promise<boolean> =>
  hash === (await readFile(file, 'utf8').catch(() => null));

/** A hash of every file that the document depends on. */
const hashServer = async (): Promise<string> =>
  hashFiles([
    path.join(root, 'package.json'),
    ...(await listSources(path.join(root, 'packages'))),
    ...(await listSources(path.join(root, 'src'))),
  ]);

async function listSources(directory: string): Promise<string[]> {
  const files = await listFiles(directory);
  return files.filter((file) => !file.endsWith('.test.ts') && !file.startsWith(generated + path.sep));
}

/** The files of a folder and of the folders in it. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** A hash of the names and the contents of files of the repository. */
export async function hashFiles(files: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${path.relative(root, file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}

/** Asks the server for its document. No database is needed, and neither the settings nor `.env` are read. */
export async function readDocument(): Promise<Document> {
  const entry = path.join(root, 'bin', 'potluck.js');
  const options = { cwd: client, env: {}, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(process.execPath, [entry, 'openapi'], options);
  return JSON.parse(stdout);
}

async function generate(document: Document): Promise<void> {
  // Loading the generator takes most of the time of a build that has nothing to do.
  const { createClient } = await import('@hey-api/openapi-ts');
  adaptDocument(document);
  await createClient({
    input: document,
    output: { path: generated, module: { extension: '.ts' } },
    logs: { level: 'silent', file: false },
    plugins: [
      // The code of this HTTP client is copied into the output, so the package has no dependencies.
      { name: '@hey-api/client-fetch', throwOnError: true },
      '@hey-api/typescript',
      // Without a global client: on a server, it would share one person's tokens with all requests.
      { name: '@hey-api/sdk', client: false },
    ],
  });
  await typeErrors();
  const list = JSON.stringify(listIdempotentOperations(document), null, 2);
  const pattern = JSON.stringify(repeatablePostsPattern(document));
  await writeFile(
    path.join(generated, 'repetitions.ts'),
    `/** The operations that accept an \`Idempotency-Key\`. */\nexport const idempotentOperations: readonly string[] = ${list};\n` +
      `/** Matches the path of a POST that has the same effect however often it arrives. */\nexport const repeatablePosts = new RegExp(${pattern});\n`,
  );
}

/**
 * The generator types the `error` of a call with `throwOnError: false` as the body of the response. Interceptors make an
 * error of it, and a lost connection has no body (create-client.ts).
 * @throws Error if the generator writes another type
 */
async function typeErrors(): Promise<void> {
  const file = path.join(generated, 'client', 'types.gen.ts');
  const code = await readFile(file, 'utf8');
  const bodyType = 'error: TError extends Record<string, unknown> ? TError[keyof TError] : TError;';
  if (code.split(bodyType).length !== 2) throw new Error(`${file} does not have the type of errors once`);
  await writeFile(file, code.replace(bodyType, 'error: TError extends unknown ? Error : never;'));
}

async function compile(): Promise<void> {
  const compiler = path.join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
  await run(process.execPath, [compiler, '--project', client]).catch((error) => {
    throw new Error(`the client does not compile:\n${error.stdout}`);
  });
}

if (import.meta.main) await buildClient();
