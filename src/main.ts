/** The process `node src/main.ts COMMAND`. The file of a command is loaded only when that command runs. */
import manifest from '../package.json' with { type: 'json' };
import { parseArguments } from './cli/command/arguments.ts';
import { CommandError } from './cli/command/command-error.ts';
import { runProgram } from './cli/command/run-program.ts';
import { stopSignal } from './cli/command/stop.ts';
import { readConfig } from './config/config.ts';

// By default, small buffers share memory in pieces of 64 KB. One that is kept, such as the hash of a token in the cache of
// sessions, would keep its whole piece.
Buffer.poolSize = 0;

// Handles signals before the modules of the command are loaded, which takes a while.
stopSignal();

const helpText = `bin/potluck COMMAND

  serve                                  start the server (also: npm start)
  migrate                                bring the database to this version
  distribute                             distribute the tables over the nodes of a cluster with Citus
  demo                                   add the demo people and events
  import FILE --organizer CONTACT        import a calendar (iCalendar), a table (CSV), or a web page with events; also the address
                                         of one. A repeated import applies only changes
         [--category SLUG]               category of entries without a known one (default: other)
         [--place TOWN | --at LAT,LNG]   where entries are whose place is not known (default: where the others are, or the
                                         organizer's last event; otherwise it is announced later)
         [--date-order day-first]        or month-first: for tables with dates such as 3/4/2027 that do not say it
  backup FILE [--force]                  write the whole database and all images to one file; servers can keep
         [--without-images]              running, except on Citus. --force replaces an existing file
  backup DIRECTORY                       write a backup into the directory, and remove older ones:
         [--keep daily=7,weekly=4]       keep one of each of the last 7 days and 4 weeks (also: monthly=N)
         [--due TIME]                    not if the directory has one of this time or later
  backup --verify FILE                   restore a backup into a temporary database, and compare
  restore FILE [--dry-run]               load a backup into an empty database. --dry-run only says what would happen
  upgrade-postgres --from DIRECTORY      move the embedded database to the PostgreSQL of this version.
                                         DIRECTORY has the former Potluck
  admin create CONTACT [--name NAME]     make an account for a phone number or mail address, if there is none, make it an
                                         admin, and print an address that signs it in once, within 15 minutes
  admin grant CONTACT                    grant the admin role to an account
  admin revoke CONTACT                   revoke the admin role
  admin link CONTACT                     print an address that signs an admin in once, within 15 minutes
  audit [--since 7d | 12h | 2026-11-01]  list sign-ins, refused sign-ins, role changes, deletions (default: 30d)
  streets TOWN [--km 10]                 download the streets of a town and its surroundings for the map; also LAT,LNG
          [--from URL]                   PMTiles file to cut them out of (default: the newest of build.protomaps.com)
  doctor [--json]                        examine this installation: configuration, database, disk, PUBLIC_URL and services
         [--send-to CONTACT]             also send a test message to a phone number or mail address
  openapi                                print the OpenAPI document; needs no database
  version                                print the version of Potluck (also: --version, -v)
  help                                   print this text (also: --help, -h)

Settings are environment variables: see .env.example.
`;

async function main(argv: string[]): Promise<void> {
  const { command, rest, values, help, version } = parseArguments(argv);
  if (version) return void process.stdout.write(`${manifest.version}\n`);
  if (help) return void process.stdout.write(helpText);
  if (command === 'doctor') return (await import('./cli/doctor.ts')).doctorCommand(process.env, values);
  const config = readConfig(process.env);
  if (command === 'serve') return (await import('./cli/serve.ts')).serveCommand(config);
  if (command === 'migrate') return (await import('./cli/migrate.ts')).migrateCommand(config);
  if (command === 'distribute') return (await import('./cli/distribute.ts')).distributeCommand(config);
  if (command === 'demo') return (await import('./cli/demo.ts')).demoCommand(config);
  if (command === 'import') return (await import('./cli/import.ts')).importCommand(config, rest, values);
  if (command === 'backup') return (await import('./cli/backup.ts')).backupCommand(config, rest, values);
  if (command === 'restore') return (await import('./cli/restore.ts')).restoreCommand(config, rest, values);
  if (command === 'upgrade-postgres')
    return (await import('./cli/upgrade-postgres.ts')).upgradePostgresCommand(config, values);
  if (command === 'audit') return (await import('./cli/audit.ts')).auditCommand(config, values);
  if (command === 'streets') return (await import('./cli/streets.ts')).streetsCommand(config, rest, values);
  if (command === 'openapi') return (await import('./cli/openapi.ts')).openapiCommand(config);
  if (command === 'admin') return (await import('./cli/admin.ts')).adminCommand(config, rest, values);
  throw new CommandError(`There is no command "${command}".\n\n${helpText}`);
}

/** Loads `.env` from the working directory if it exists. Variables that are set already keep their values. */
function readDotEnv(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

await runProgram(() => {
  readDotEnv();
  return main(process.argv.slice(2));
});
