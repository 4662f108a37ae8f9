import { writeFileSync } from 'node:fs';
import { createEnvironment } from './bench/run/environment.ts';
import { varied } from './bench/run/items/varied.ts';
import { openDataset } from './bench/seed.ts';
import { openSql } from './test/sql-tag.ts';

const d = await openDataset(Number(process.argv[2] ?? 200000));
const sql = await openSql(d.target, 'x');
const env = createEnvironment(d, sql, 5);
for (const [i, w] of varied.entries()) {
  const { requests } = await w.prepare(env, 77);
  writeFileSync(`/tmp/req-${i}-${w.item}.txt`, requests.map(({ path }) => `GET\t${path}\t\t\n`).join(''));
}
await sql.end();
await d.close();
