import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { quoteIdentifier } from '../../src/cli/backup/file-format.ts';
import { listTables } from '../../src/cli/backup/tables.ts';
import { writeBackup } from '../../src/cli/backup.ts';
import { openEmbedded } from '../../src/db/embedded/embedded.ts';
import { eventBody } from '../../test/factories.ts';
import { assertCounters } from '../../test/invariants.ts';
import { potluck } from '../../test/processes.ts';
import { openSql, type SqlTransaction } from '../../test/sql-tag.ts';
import { openClient } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import type { Program } from '../program.ts';
import { countMissing, startWriting, type Writers, type Written } from '../restore-writers.ts';

export const restore: Program = {
  name: 'restore',
  promise:
    'A backup is made while two servers write, and restored: equal table by table, with all that was acknowledged before it; damaged files are refused',
  quick: true,
  async run({ size, open, progress }) {
    const environment = await open();
    const place = path.join(environment.dataDir, 'backups');
    const file = path.join(place, 'backup.gz');
    const fresh = path.join(place, 'restored');
    const writers = await startWriting(environment, size(2_000, 100));
    const [person] = writers.people;
    if (!person) throw new Error('nobody writes');
    await writers.until(size(6_000, 200));
    progress('backing up');
    const { tables, before } = await backUp(environment, place, file, writers);
    // Writing went on to here: what came after the backup began must not be in it.
    const after = writers.log.length - before.length;
    await writers.stop();
    progress('restoring');
    const { unequal, missing, trouble } = await lookAt(environment, { file, fresh, tables, before, person });
    progress('damaging files');
    const damaged = await tryDamaged(environment, file, place, size(30, 2));
    const names = Object.keys(tables);
    const rows = Object.values(tables).reduce((sum, { count }) => sum + count, 0);
    return {
      figure:
        `${names.length - unequal.length} of ${names.length} tables equal (${rows} rows)${unequal.map((name) => `, not ${name}`).join('')}; ` +
        `${missing} of ${before.length} acknowledged writes missing, ${after} more were acknowledged meanwhile; ` +
        `${trouble ?? 'counters agree, a server answers on it'}; ` +
        `${damaged.refused} of ${damaged.tried} damaged files refused, ${damaged.left} left anything behind`,
      ok:
        unequal.length + missing + damaged.left === 0 &&
        trouble === null &&
        after > 0 &&
        damaged.refused === damaged.tried,
    };
  },
};

/** Name of the table → its rows, and the sum of their hashes. */
type Tables = Record<string, { count: number; sum: string }>;

async function sumUp(tx: SqlTransaction): Promise<Tables> {
  const tables: Tables = {};
  for (const { name } of await listTables(tx)) {
    const [row] = await tx.text<{ count: number; sum: string }>(`
      select count(*)::int as count, coalesce(sum(hashtextextended(t::text, 7)::numeric), 0)::text as sum
      from ${quoteIdentifier(name)} t`);
    if (row) tables[name] = row;
  }
  return tables;
}

/** Sums up the very snapshot that the backup is made of; `before` is what had been acknowledged when it was taken. */
async function backUp(
  { dataDir }: Environment,
  place: string,
  file: string,
  { log }: Writers,
): Promise<{ tables: Tables; before: Written[] }> {
  await mkdir(place);
  const embedded = await openEmbedded(dataDir);
  const sql = await openSql(embedded.target, 'torture');
  try {
    return await sql.begin(async (tx) => {
      const before = [...log];
      const [row] = await tx<[{ snapshot: string }]>`select pg_export_snapshot() as snapshot`;
      await writeBackup(embedded.target, file, { snapshot: row.snapshot });
      return { tables: await sumUp(tx), before };
    }, 'isolation level repeatable read, read only');
  } finally {
    await sql.end();
    await embedded.close();
  }
}

type Restored = { file: string; fresh: string; tables: Tables; before: Written[]; person: Person };
type Look = { unequal: string[]; missing: number; trouble: string | null };

/** Restores by the command into a directory where nothing is, compares, and has a server answer on it. */
async function lookAt(
  environment: Environment,
  { file, fresh, tables, before, person }: Restored,
): Promise<Look> {
  const env = { ...environment.env, DATA_DIR: fresh };
  const run = potluck(['restore', file], { env });
  if ((await run.ended) !== 0) throw new Error(`not restored: ${run.output.out}${run.output.err}`);
  const embedded = await openEmbedded(fresh);
  const sql = await openSql(embedded.target, 'torture');
  try {
    const found = await sql.begin(sumUp);
    const names = [...new Set([...Object.keys(tables), ...Object.keys(found)])];
    const unequal = names.filter((name) => JSON.stringify(found[name]) !== JSON.stringify(tables[name]));
    const missing = await countMissing(sql, before);
    const counters = await assertCounters(sql).then(
      () => null,
      (error: Error) => `counters do not agree: ${error.message}`,
    );
    return { unequal, missing, trouble: counters ?? (await useServer(environment, env, person)) };
  } finally {
    await sql.end();
    await embedded.close();
  }
}

/** A session of before is good on it, what they wrote is seen, and more can be written. */
async function useServer(
  environment: Environment,
  env: Record<string, string>,
  person: Person,
): Promise<string | null> {
  const server = await environment.start(env);
  const client = openClient(() => [server]);
  try {
    const { token } = person;
    const me = await client.ask('GET', '/v1/auth/me', { token });
    const event = await client.ask('POST', '/v1/events', { token, body: eventBody() });
    const read = await client.ask('GET', `/v1/events/${event.body?.id}`, { token });
    const statuses = [me.status, event.status, read.status].join(', ');
    const isRight = statuses === '200, 201, 200' && me.body.id === person.id;
    return isRight ? null : `a server on it answers ${statuses} in place of 200, 201, 200`;
  } finally {
    client.close();
  }
}

type Damaged = { tried: number; refused: number; left: number };

/** Cut short or with a bit flipped, anywhere: refused in one line, and nothing is made in the place it was for. */
async function tryDamaged(
  { env }: Environment,
  file: string,
  place: string,
  times: number,
): Promise<Damaged> {
  const whole = await readFile(file);
  const damaged = path.join(place, 'damaged.gz');
  const seen: Damaged = { tried: 0, refused: 0, left: 0 };
  for (let n = 0; n < times; n++) {
    // Beyond the ten bytes of gzip's header, of which most say nothing about the content.
    const at = 10 + Math.floor(Math.random() * (whole.length - 10));
    await writeFile(damaged, n % 2 === 0 ? whole.subarray(0, at) : withFlippedBit(whole, at));
    const target = path.join(place, `for-damaged-${n}`);
    const run = potluck(['restore', damaged], { env: { ...env, DATA_DIR: target } });
    const code = await run.ended;
    seen.tried++;
    if (code === 1 && /^[^\n]+\n$/.test(run.output.err) && run.output.out === '') seen.refused++;
    if ((await readdir(target).catch(() => [])).length > 0) seen.left++;
  }
  return seen;
}

function withFlippedBit(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
  return copy;
}
