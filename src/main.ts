/** The process: `node src/main.ts COMMAND`. What each command does is in its own file, loaded when it is asked for. */

import manifest from '../package.json' with { type: 'json' };
import { readArguments } from './cli/arguments.ts';
import { CommandError } from './cli/command-error.ts';
import { Interrupted, stopSignal } from './cli/stop.ts';
import { ConfigError, readConfig } from './lib/config.ts';

// Before anything else is loaded: a signal must find somebody at home.
stopSignal();
// Whoever stops reading what is printed does not stop the server.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

const helpText = `npm run potluck -- COMMAND

  serve                                  start the server (also: npm start)
  migrate                                bring the database to this version
  demo                                   add the demo people and events
  import FILE.ics --organizer PHONE      take over a calendar; again: only what changed
         [--category SLUG]               for entries whose CATEGORIES name none of ours (default: other)
  backup FILE [--force]                  everything in the database, into one file; servers may go on meanwhile.
                                         --force replaces an existing file
  restore FILE                           take a backup into an empty database
  admin grant PHONE | admin revoke PHONE give or take the admin role
  audit [--since 7d | 12h | 2026-11-01]  who signed in or was kept out, roles and deletions (default: 30d)
  version                                print the version of Potluck (also: --version, -v)
  help                                   print this text (also: --help, -h)

Settings are environment variables: see .env.example.
`;

async function main(argv: string[]): Promise<void> {
  const { command, rest, values, help, version } = readArguments(argv);
  if (version) return void process.stdout.write(`${manifest.version}\n`);
  if (help) return void process.stdout.write(helpText);
  const config = readConfig(process.env);
  if (command === 'serve') return (await import('./cli/serve.ts')).serveCommand(config);
  if (command === 'migrate') return (await import('./cli/migrate.ts')).migrateCommand(config);
  if (command === 'demo') return (await import('./cli/demo.ts')).demoCommand(config);
  if (command === 'import') return (await import('./cli/import.ts')).importCommand(config, rest, values);
  if (command === 'backup') return (await import('./cli/backup.ts')).backupCommand(config, rest, values);
  if (command === 'restore') return (await import('./cli/restore.ts')).restoreCommand(config, rest);
  if (command === 'audit') return (await import('./cli/audit.ts')).auditCommand(config, values);
  if (command === 'admin') return (await import('./cli/admin.ts')).adminCommand(config, rest);
  throw new CommandError(`There is no command "${command}".\n\n${helpText}`);
}

/** `.env` beside the package is read where there is one; what the environment itself says goes before it. */
function readDotEnv(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const foreseen = [ConfigError, CommandError, Interrupted];

try {
  readDotEnv();
  await main(process.argv.slice(2));
} catch (error) {
  const known = foreseen.some((kind) => error instanceof kind);
  // What we foresaw is said in a line; only what we did not comes with its stack.
  console.error(known ? (error as Error).message : error);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
// Everything is closed by now; a connection that somebody does not let go of must not keep the process.
setTimeout(() => process.exit(), 200).unref();
