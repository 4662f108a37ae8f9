/** Secrets that a server makes for itself at its first start. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

const length = 43;

/**
 * 256 random bits from a file that only its owner may read, made when there is none. The file appears whole or not at
 * all, so of two processes at once both get the same.
 * @throws Error when the file holds something else
 */
export async function readOrCreateSecret(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(ignoreMissing);
  const secret = kept?.trim() ?? (await makeSecret(file));
  if (secret.length < length) throw new Error(`${file} is damaged: it holds no secret`);
  return secret;
}

async function makeSecret(file: string): Promise<string> {
  const draft = `${file}-${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
    await link(draft, file).catch(ignoreExisting);
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
