/**
 * Applies the fault in the variable `MUTATION` to its file while Node.js loads it: `node --import`. No file changes, so
 * runs with different faults share a checkout. Worker threads and processes inherit the option.
 */
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Fault, root, withFault } from './fault.ts';

const fault: Fault = JSON.parse(process.env.MUTATION ?? '');
const urlOf = (file: string) => pathToFileURL(path.join(root, file)).href;
const target = urlOf(fault.file);

registerHooks({
  resolve(specifier, context, nextResolve) {
    // Tests of the client import the built package.
    const isClient = specifier === '@potluck/client' && fault.file.startsWith('client/src/');
    return nextResolve(isClient ? urlOf('client/src/index.ts') : specifier, context);
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return url === target ? { ...loaded, source: withFault(`${loaded.source}`, fault) } : loaded;
  },
});
