import { readFileSync } from 'node:fs';
import path from 'node:path';

const launcher = readFileSync(path.join(import.meta.dirname, '..', '..', 'bin', 'potluck'), 'utf8');

/** The environment variables that `bin/potluck` sets. */
export const startVariables: Record<string, string> = Object.fromEntries(
  Array.from(launcher.matchAll(/(\w+)=(\d+)/g), ([, name = '', value = '']) => [name, value]),
);

/** The options that `bin/potluck` gives to Node.js. */
export const startOptions: string[] = launcher.match(/--[\w-]+=\S+/g) ?? [];
