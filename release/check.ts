/**
 * Fails if a released migration was changed, if a new one does not have the next number, or if the platforms have different
 * versions of Node.js or PostgreSQL.
 */
import manifest from '../package.json' with { type: 'json' };
import { findMigrationFaults, migrationsDirectory, releases } from './releases.ts';
import { findRuntimeFaults } from './runtime.ts';

const faults = [
  ...(await findMigrationFaults(migrationsDirectory, releases)),
  ...findRuntimeFaults(manifest),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
