/** Fails if a released migration was changed, or if a new one does not have the next number. */
import { findMigrationFaults, migrationsDirectory, releases } from './releases.ts';

const faults = await findMigrationFaults(migrationsDirectory, releases);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
