/** `doctor [--json] [--send-to CONTACT]`: examines an installation, and says what to do about what is wrong. */
import { inspectConfig } from '../config/config.ts';
import type { Context } from '../doctor/context.ts';
import { type Check, examine, type Finding, type State } from '../doctor/finding.ts';
import { oidcProvider } from '../modules/accounts/oidc/doctor.ts';
import { textMessages } from '../modules/accounts/sms/doctor.ts';
import { bucket } from '../modules/uploads/doctor.ts';
import { parseContactArgument } from './command/accounts.ts';
import { stopSignal, unlessStopped } from './command/stop.ts';
import { backups } from './doctor/backups.ts';
import { certificate, dns } from './doctor/certificate.ts';
import { configuration, secretFiles, secretKey } from './doctor/configuration.ts';
import { examineDatabase } from './doctor/database.ts';
import { embeddedVersions } from './doctor/embedded-versions.ts';
import { disk, memory } from './doctor/machine.ts';
import { mailRecords, mailServer } from './doctor/mail.ts';
import { testMessage } from './doctor/messages.ts';
import { pages, streets } from './doctor/pages.ts';
import { examinePublicUrl } from './doctor/public-url.ts';
import { secretsIn, withoutSecrets } from './doctor/secret-values.ts';
import { collector, replicas } from './doctor/services.ts';

type Options = { json?: boolean; 'send-to'?: string };

/** Prints the findings. The exit code is 1 if something is broken. */
export async function doctorCommand(env: NodeJS.ProcessEnv, options: Options): Promise<void> {
  const stop = stopSignal();
  const { 'send-to': contact } = options;
  const sendTo = contact === undefined ? undefined : parseContactArgument(contact);
  const findings = await examineAll({ ...inspectConfig(env), env, sendTo, stop });
  // The digits of a number without its + as well.
  const recipient = sendTo ? [sendTo.value, sendTo.value.replace(/^\+/, '')] : [];
  const secrets = [...recipient, ...secretsIn(env)];
  const clean = (text: string) => withoutSecrets(text, secrets);
  const shown = findings.map(({ text, next, ...rest }) => ({
    ...rest,
    text: clean(text),
    ...(next !== undefined && { next: clean(next) }),
  }));
  console.log(options.json ? JSON.stringify(shown, null, 2) : format(shown));
  if (shown.some(({ state }) => state === 'broken')) process.exitCode = 1;
}

/** In the order of the output, before and after those of the database and of PUBLIC_URL. */
const [first, second, last] = [
  [configuration, secretKey, secretFiles],
  [embeddedVersions, replicas, disk, memory, backups, dns, certificate],
  [pages, streets, mailServer, mailRecords, textMessages, testMessage, oidcProvider, bucket, collector],
];

/** Runs all checks at the same time. @throws Interrupted for a stop signal */
async function examineAll(context: Context): Promise<Finding[]> {
  const run = (checks: Check[]) => checks.map((check) => examine(check, context));
  const database = examineDatabase(context);
  const findings = [...run(first), database, ...run(second), examinePublicUrl(context), ...run(last)];
  try {
    return (await unlessStopped(Promise.all(findings), context.stop)).flat();
  } finally {
    // The embedded database that this command started stops also after a stop signal.
    await database;
  }
}

const marks: Record<State, string> = { good: '✓', warning: '!', broken: '✗', skipped: '-' };
/** Of the column of names. */
const width = 16;

function format(findings: Finding[]): string {
  const lines = findings.flatMap(({ check, state, text, next }) => [
    `${marks[state]} ${check.padEnd(width)} ${text}`,
    ...(next === undefined ? [] : [`${' '.repeat(width + 3)}Next: ${next}`]),
  ]);
  const count = (state: State) => findings.filter((finding) => finding.state === state).length;
  const [bad, warnings] = [count('broken'), count('warning')];
  return [...lines, '', `${bad} broken, ${warnings} to look at, ${count('skipped')} not examined.`].join(
    '\n',
  );
}
