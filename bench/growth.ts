/**
 * `npm run bench:growth`: measures the parameters of the model in docs/scaling.md, and prints its predictions.
 *
 *   bytes   [--rows 10000,100000] [--subjects rsvps,messages]   bytes for each row
 *   index   [--rows 10000,100000]                               memory of the discovery index
 *   actions                                                     rows, statements and bytes for each action
 *   model   [--events 1e8] [--people 1e7]                       the prediction
 *
 * Bytes and counts do not depend on what else runs on the machine; nothing here measures time.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbedded } from '#embedded-postgres';
import type { Target } from '#pg';
import { migrate } from '../src/schema/migrate.ts';
import { openSql } from '../test/support/sql-tag.ts';
import { measureActions } from './growth/actions.ts';
import { measureBytes } from './growth/measure-bytes.ts';
import { measureIndex } from './growth/measure-index.ts';
import { printModel } from './growth/model.ts';
import { subjects } from './growth/tables.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '10000,100000' },
    subjects: { type: 'string' },
    events: { type: 'string', default: '1e8' },
    people: { type: 'string', default: '1e7' },
  },
});
const sizes = values.rows.split(',').map(Number);
const wanted = values.subjects?.split(',');

/** An earlier run may have been made with other migrations. */
async function recreate(target: Target): Promise<void> {
  const sql = await openSql(target, 'growth');
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  await sql.end();
  await migrate(target);
}

const commands: Record<string, (target: Target) => Promise<void>> = {
  async bytes(target) {
    const sql = await openSql(target, 'growth');
    // Skips the checks of foreign keys, which do not change the size.
    await sql`set session_replication_role = replica`;
    await sql`set synchronous_commit = off`;
    for (const subject of subjects.filter(({ name }) => wanted?.includes(name) ?? true)) {
      for (const size of sizes) {
        const { rows, table, index } = await measureBytes(sql, subject, size);
        console.log(
          `${subject.name}\t${rows}\t${table.toFixed(1)}\t${index.toFixed(1)}\t${(table + index).toFixed(1)}`,
        );
      }
      await sql.text(`truncate ${subject.tables.join(', ')} cascade`);
    }
    await sql.end();
  },
  async index(target) {
    for (const size of sizes) {
      const { bytes, peak } = await measureIndex(target, size);
      console.log(`index\t${size}\t${(bytes / size).toFixed(1)}\t${(peak / size).toFixed(1)}`);
    }
  },
  actions: measureActions,
};

const command = positionals[0] ?? '';
if (command === 'model') {
  printModel({ events: Number(values.events), people: Number(values.people) });
} else {
  const run = commands[command];
  if (!run) throw new Error(`Unknown command ${command}: bytes, index, actions or model.`);
  const embedded = await openEmbedded(path.join(import.meta.dirname, 'data', `growth-${command}`));
  try {
    await recreate(embedded.target);
    await run(embedded.target);
  } finally {
    await embedded.close();
  }
}
