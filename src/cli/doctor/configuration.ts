/** The configuration, and the files that contain secrets. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { broken, type Check, good, type Result, skipped, warning } from '../../doctor/finding.ts';
import { secretVariables } from './secret-values.ts';

export const configuration: Check = {
  name: 'configuration',
  async run({ config, faults }) {
    const next = 'Correct the variable in the environment or in .env; .env.example describes it.';
    const refusals = faults.map((fault) => broken(fault, next));
    const others = config.warnings.map((text) => warning(text, next));
    const mode = config.production ? 'with NODE_ENV=production' : 'which are not those of production';
    const summary = `A start accepts the variables, ${mode}.`;
    return refusals.length + others.length > 0 ? [...refusals, ...others] : good(summary);
  },
};

export const secretKey: Check = {
  name: 'SECRET_KEY',
  variables: ['SECRET_KEY'],
  async run({ config: { secretKey, dataDir } }) {
    if (secretKey === undefined) {
      const isThere = await stat(path.join(dataDir, 'secret-key')).catch(() => null);
      return good(
        isThere ? 'The key is in DATA_DIR/secret-key.' : 'The first start makes a key in DATA_DIR.',
      );
    }
    if (new Set(secretKey).size >= 8) return good(`The variable has ${secretKey.length} characters.`);
    return warning(
      'The key has fewer than eight different characters, so it can be guessed.',
      'Set SECRET_KEY to the output of: openssl rand -hex 32. People then sign in again.',
    );
  },
};

export const secretFiles: Check = {
  name: 'secret files',
  async run({ config: { dataDir }, env }) {
    const files = [
      ...((await hasSecrets('.env')) ? [path.resolve('.env')] : []),
      ...['secret-key', 'database-password'].map((name) => path.join(dataDir, name)),
      ...(env.MAIL_DKIM_KEY ? [path.resolve(env.MAIL_DKIM_KEY)] : []),
    ];
    const results = (await Promise.all(files.map(examineFile))).filter((result) => result !== null);
    if (results.length === 0) return skipped('No file of this installation has secrets.');
    const open = results.filter(({ state }) => state !== 'good');
    return open.length > 0 ? open : good('Other users of this machine cannot read the files with secrets.');
  },
};

/** Returns null for a file that does not exist. */
async function examineFile(file: string): Promise<Result | null> {
  const mode = (await stat(file).catch(() => null))?.mode;
  if (mode === undefined) return null;
  if ((mode & 0o004) === 0) return good('');
  return warning(
    `Every user of this machine can read ${file}, which has a secret (mode ${(mode & 0o777).toString(8)}).`,
    `Run: chmod o-rwx ${file}`,
  );
}

async function hasSecrets(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const variables = parseEnv(text);
  return secretVariables.some((name) => Boolean(variables[name]));
}
