/** What a server prints and logs when it is open. */
import type { FastifyBaseLogger } from 'fastify';
import { type Database, findUnverifiedHost, listMissingSettings, type Target } from '#pg';
import { notExported } from '#telemetry';
import type { Config } from '../../config/config.ts';
import { demoPhones } from '../../lib/demo-phones.ts';
import { findBuildProblem } from '../../server/web/built-files.ts';
import type { CommandContext } from '../command/command-context.ts';
import { findSetupAddress } from './setup-address.ts';

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

/** Prints the address, and logs warnings about the installation. */
export async function reportStart(log: Log, context: CommandContext): Promise<void> {
  const { config, target, db, backup } = context;
  announce(log, config, await findSetupAddress(context));
  if (backup) log.info({ backup }, 'the database was backed up before its migration');
  for (const warning of config.warnings) log.warn(warning);
  warnIfUnverified(log, target, config);
  await warnAboutSettings(log, db);
  const problem = await findBuildProblem();
  if (problem) log.warn(problem);
}

/** Logs a warning if another machine could pretend to be the database, or one of its replicas. */
function warnIfUnverified(log: Log, target: Target, { databaseReplicaUrls }: Config): void {
  const variables = [
    ['DATABASE_URL', [target]],
    ['DATABASE_REPLICA_URLS', databaseReplicaUrls],
  ] as const;
  for (const [variable, targets] of variables) {
    const host = targets.map(findUnverifiedHost).find((each) => each !== null);
    if (host === undefined) continue;
    log.warn(
      { host },
      `the connection to the database does not verify the server; set sslmode=verify-full in ${variable}`,
    );
  }
}

/** Logs a warning if a pooler did not pass the settings of the server's connections on to the database. */
async function warnAboutSettings(log: Log, db: Database): Promise<void> {
  // Without the database, requests report its outage.
  const missing = await listMissingSettings(db).catch(() => []);
  if (missing.length === 0) return;
  const statements = missing.map(({ name, value }) => `alter role ROLE set ${name} = '${value}'`);
  log.warn(
    { missing: missing.map(({ name }) => name) },
    `the database connections lack settings, which a pooler such as PgBouncer drops; run: ${statements.join('; ')}`,
  );
}

/** Prints a start screen, or in production one line of the log; and without an admin the address that makes one. */
function announce(log: Log, config: Config, setup: string | null): void {
  if (!config.production) {
    console.log(startScreen(config, setup));
    return;
  }
  log.info({ address: config.publicUrl }, 'Potluck is open');
  // Shown with each level but those that show no codes either.
  if (setup)
    log.warn(
      { [notExported]: true, address: setup },
      'there is no admin yet; open this address to become the first one',
    );
}

function startScreen(config: Config, setup: string | null): string {
  const { publicUrl, databaseUrl, dataDir, demo, devCodes, isLocal, sms } = config;
  const showsCode = devCodes && sms.driver === 'console';
  const lines = [
    '',
    `  🥘 Potluck is open at  ${publicUrl}`,
    `     API reference       ${publicUrl}/docs`,
    `     Database            ${databaseUrl ? 'DATABASE_URL' : `PostgreSQL 18, embedded, in ${dataDir}`}`,
  ];
  if (demo) {
    lines.push(
      '',
      `     Sign in as          with the phone${showsCode ? ' (the response carries the code)' : ''}`,
    );
    for (const { phone, who } of demoPhones) lines.push(`       ${who.padEnd(18)}${phone}`);
  }
  if (setup) lines.push(`     Become the admin    ${setup}`);
  if (sms.driver === 'console' && !devCodes)
    lines.push('', '     Codes               are in this log, with the last three digits of the phone');
  if (showsCode && !isLocal) {
    lines.push('', '  ⚠ DEV_CODES=on: every client that reaches this server can sign in as any account,');
    lines.push('    because the responses carry the codes.');
  }
  return [...lines, '', '  Ctrl-C stops the server and its database.', ''].join('\n');
}
