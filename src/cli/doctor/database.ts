/** The database: whether it can be used, and what the checks of its schema and its settings find. */
import { connect } from '#pg';
import type { Context } from '../../doctor/context.ts';
import {
  broken,
  checkLimitMs,
  examine,
  type Finding,
  failure,
  type Result,
  warning,
} from '../../doctor/finding.ts';
import { withDatabase } from '../command/command-context.ts';
import { CommandError } from '../command/command-error.ts';
import { unlessStopped } from '../command/stop.ts';
import { cluster } from './cluster.ts';
import { schemaChecks } from './database-schema.ts';
import { settingChecks } from './database-settings.ts';

/** Opens the database as commands do: one that runs, or the embedded one, which stops again. Migrates nothing. */
export async function examineDatabase(context: Context): Promise<Finding[]> {
  const findings: Finding[] = [];
  const outcome = await examine(
    {
      name: 'database',
      variables: ['DATABASE_URL'],
      run: () => open(context, findings).then(() => [], describe),
    },
    context,
    // The opening and each check have their own limits, after which the embedded database must stop again.
    15 * checkLimitMs,
  );
  return [...outcome, ...findings];
}

async function open(context: Context, findings: Finding[]): Promise<void> {
  const opening = new AbortController();
  const timer = setTimeout(() => opening.abort(lateError), checkLimitMs);
  const stop = AbortSignal.any([context.stop, opening.signal]);
  await withDatabase(context.config, { stop, mustExist: true }, async (target) => {
    clearTimeout(timer);
    const db = connect(target, 1);
    const checks = async () => {
      for (const { name, run } of [...schemaChecks, cluster, ...settingChecks])
        findings.push(...(await examine({ name, run: () => run(db, context.config) }, context)));
    };
    try {
      await unlessStopped(checks(), context.stop);
    } finally {
      await db.end({ timeoutMs: 500 });
    }
  }).finally(() => clearTimeout(timer));
}

const lateError = new CommandError(`The database did not respond within ${checkLimitMs / 1_000} s.`);

const nextSteps: [RegExp, string][] = [
  [/DATA_DIR is/, 'Correct DATA_DIR, or the owner and the permissions of the directory.'],
  [/28P01|28000/, 'Correct the user and the password in DATABASE_URL, or pg_hba.conf.'],
  [/3D000/, 'Correct the name of the database in DATABASE_URL, or create the database.'],
  [/ENOTFOUND|EAI_AGAIN/, 'Correct the host in DATABASE_URL.'],
  [/STANDBY|57P03/, 'Wait until it accepts writes. DATABASE_URL can name all hosts of a cluster.'],
  [/53300/, 'Raise max_connections of PostgreSQL, or end connections of other programs.'],
  [/certificate|CERT/i, 'Correct sslmode and sslrootcert in DATABASE_URL.'],
];

function describe(error: Error): Result {
  if (!(error instanceof CommandError)) return failure(error);
  const { message } = error;
  if (message.includes('contains no database'))
    return warning(message, 'Correct DATA_DIR. In a new installation, the first start creates the database.');
  const [, next = 'Start PostgreSQL, or correct the host and the port in DATABASE_URL.'] =
    nextSteps.find(([pattern]) => pattern.test(message)) ?? [];
  return broken(message, next);
}
