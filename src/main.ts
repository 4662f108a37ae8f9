/** The process: `node src/main.ts COMMAND`. What each command does is in its own file. */
import { parseArgs } from 'node:util';
import { adminCommand } from './commands/admin.ts';
import { demoCommand } from './commands/demo.ts';
import { importCommand } from './commands/import.ts';
import { migrateCommand } from './commands/migrate.ts';
import { serveCommand } from './commands/serve.ts';
import { Interrupted } from './commands/stop.ts';
import { CommandError } from './commands/world.ts';
import { ConfigError, readConfig } from './config.ts';

const help = `npm run potluck -- COMMAND

  serve                                  start the server (also: npm start)
  migrate                                bring the database to this version
  demo                                   add the demo people and events
  import FILE.ics --organizer PHONE      take over a calendar; again: only what changed
         [--category SLUG]               for entries whose CATEGORIES name none of ours (default: other)
  admin grant PHONE | admin revoke PHONE give or take the admin role

Settings are environment variables: see .env.example.
`;

async function main(argv: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      organizer: { type: 'string' },
      category: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command = 'help', ...rest] = positionals;
  if (values.help || command === 'help') return void process.stdout.write(help);
  const config = readConfig(process.env);
  if (command === 'serve') return serveCommand(config);
  if (command === 'migrate') return migrateCommand(config);
  if (command === 'demo') return demoCommand(config);
  if (command === 'import') return importCommand(config, rest, values);
  if (command === 'admin') return adminCommand(config, rest);
  throw new CommandError(`There is no command "${command}".\n\n${help}`);
}

/** `.env` beside the package is read where there is one; what the environment itself says goes before it. */
function readDotEnv(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function isUsage(error: unknown): boolean {
  return (
    error instanceof TypeError && (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true
  );
}

const foreseen = [ConfigError, CommandError, Interrupted];

try {
  readDotEnv();
  await main(process.argv.slice(2));
} catch (error) {
  const known = foreseen.some((kind) => error instanceof kind) || isUsage(error);
  // What we foresaw is said in a line; only what we did not comes with its stack.
  console.error(known ? (error as Error).message : error);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
// Everything is closed by now; a connection that somebody does not let go of must not keep the process.
setTimeout(() => process.exit(), 200).unref();
