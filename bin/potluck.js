#!/usr/bin/env node
/**
 * The entry point of every npm script. Node.js before 22.18 cannot load src/main.ts and prints a stack trace instead.
 * This file is JavaScript that those versions parse, so the operator gets a sentence.
 */
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const required = Number.parseInt(manifest.dependencies.node, 10);

if (Number.parseInt(process.versions.node, 10) < required) {
  console.error(
    `Potluck needs Node.js ${required} or later; this is Node.js ${process.versions.node}. ` +
      `"npm ci" installs Node.js ${manifest.dependencies.node}; "npm start" and "npm run potluck -- COMMAND" use it.`,
  );
  process.exitCode = 1;
} else {
  await import('../src/main.ts');
}
