/** Summarizes and formats the results. */
import os from 'node:os';
import type { WorkItem } from './environment.ts';
import type { Round } from './measure.ts';

export type Result = {
  item: string;
  variant: string;
  app: { rps: number; p50Ms: number; p99Ms: number; maxMs: number } | null;
  limits: { pgbench: number | null; bareNode: number | null };
  ratios: { pgbench: number | null; bareNode: number | null; bestPeer: number | null };
  cpu: { server: number | null; database: number | null };
  rssMb: number | null;
};

/** The dataset size of the peer measurements; results of other sizes are not comparable. */
const peerEventCount = 200_000;

/** Computes the medians of the rounds; null without rounds. */
export function summarize({ item, variant, bestPeer }: WorkItem, rounds: Round[], events: number): Result {
  const of = (pick: (round: Round) => number | null) => median(rounds.map(pick));
  const rps = of(({ app }) => app.rps);
  const limits = { pgbench: of((round) => round.pgbench), bareNode: of((round) => round.bareNode) };
  const ratio = (limit: number | null) => (rps === null || !limit ? null : digits(rps / limit, 4));
  return {
    item,
    variant,
    app:
      rps === null
        ? null
        : {
            rps: digits(rps, 1),
            p50Ms: digits(of(({ app }) => app.p50Ms) ?? 0, 2),
            p99Ms: digits(of(({ app }) => app.p99Ms) ?? 0, 2),
            maxMs: digits(of(({ app }) => app.maxMs) ?? 0, 2),
          },
    limits: { pgbench: rounded(limits.pgbench, 1), bareNode: rounded(limits.bareNode, 1) },
    ratios: {
      pgbench: ratio(limits.pgbench),
      bareNode: ratio(limits.bareNode),
      bestPeer: ratio(events === peerEventCount ? bestPeer : null),
    },
    cpu: {
      server: rounded(
        of(({ cpu }) => cpu.server),
        2,
      ),
      database: rounded(
        of(({ cpu }) => cpu.database),
        2,
      ),
    },
    rssMb: of((round) => round.rssMb),
  };
}

function median(values: (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

const digits = (value: number, count: number) => Number(value.toFixed(count));
const rounded = (value: number | null, count: number) => value && digits(value, count);

const emptyCell = '–';
const integer = (value: number | null) =>
  value === null ? emptyCell : Math.round(value).toLocaleString('en');
const fixed = (value: number | null, count: number) => value?.toFixed(count) ?? emptyCell;
const percent = (value: number | null) => {
  if (value === null) return emptyCell;
  return value >= 10 ? times(value) : `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`;
};
const times = (value: number | null) => (value === null ? emptyCell : `${value.toFixed(1)} ×`);

const columns: [string, (result: Result) => string][] = [
  ['work item', ({ item, variant }) => `${item} ${variant}`],
  ['req/s', ({ app }) => (app ? integer(app.rps) : 'FAILED')],
  ['p50 ms', ({ app }) => fixed(app?.p50Ms ?? null, 1)],
  ['p99 ms', ({ app }) => fixed(app?.p99Ms ?? null, 1)],
  ['max ms', ({ app }) => fixed(app?.maxMs ?? null, 1)],
  ['pgbench/s', ({ limits }) => integer(limits.pgbench)],
  ['of it', ({ ratios }) => percent(ratios.pgbench)],
  ['bare node/s', ({ limits }) => integer(limits.bareNode)],
  ['of it', ({ ratios }) => percent(ratios.bareNode)],
  ['best peer', ({ ratios }) => times(ratios.bestPeer)],
  ['CPU server', ({ cpu }) => fixed(cpu.server, 2)],
  ['CPU db', ({ cpu }) => fixed(cpu.database, 2)],
  ['RSS MB', ({ rssMb }) => integer(rssMb)],
];

export function formatTable(results: Result[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...results.map((result) => columns.map(([, cell]) => cell(result))),
  ];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: string[]) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = rows;
  return [line(head), '-'.repeat(line(head).length), ...body.map(line)].join('\n');
}

export function describeMachine(postgres: string): string {
  const [cpu] = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const hardware = `${os.availableParallelism()} cores, ${cpu?.model.trim() ?? 'unknown CPU'}, ${memory} GB`;
  return `${hardware}; Node ${process.versions.node}, PostgreSQL ${postgres}, ${os.type()} ${os.release()}`;
}
