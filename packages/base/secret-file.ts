/** Secrets that Potluck generates at its first start. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from './sync-to-disk.ts';

/** 256 bits in base64url. */
const secretLength = 43;

/**
 * Reads the secret of 256 random bits in the file, which is created with permissions for its owner only. The
 * file is created atomically, so two processes that start at the same time get the same secret.
 * @throws Error if the file does not contain a secret; errors of the file system
 */
export async function readOrCreateSecret(file: string): Promise<string> {
  const stored = await readFile(file, 'utf8').catch(ignoreMissing);
  const secret = stored?.trim() ?? (await createSecret(file));
  if (secret.length < secretLength) throw new Error(`${file} is damaged: it holds no secret`);
  return secret;
}

/**
 * Writes a new secret to the file, unless it exists. Returns the secret in the file. It is durable: what the secret
 * protects may be in use as soon as this function returns.
 */
async function createSecret(file: string): Promise<string> {
  const draft = `${file}-${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, randomBytes(32).toString('base64url'), {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    });
    await link(draft, file).catch(ignoreExisting);
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(path.dirname(file));
  return (await readFile(file, 'utf8')).trim();
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
