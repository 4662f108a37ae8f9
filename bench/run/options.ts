/** The command-line options of the benchmark. */
import { parseArgs } from 'node:util';

export type Options = {
  only: string[] | null;
  rounds: number;
  seconds: number;
  events: number;
  connections: number;
  discovery: 'memory' | 'sql';
  json: string | null;
};

/** An error that the operator can fix; the CLI prints only its message. */
export class BenchError extends Error {}

export const help = `npm run bench -- [OPTIONS]

  --only W1,W5        measures only these work items
  --rounds 3          number of measurements per item; the table shows medians
  --seconds 5         duration of each measurement
  --events 200000     number of events in the dataset, which is created if it is missing
  --connections 64    number of concurrent connections
  --discovery memory  where the app computes lists: memory or sql
  --json FILE         also writes the results to a file
  --help
`;

/** @returns null for `--help` @throws BenchError */
export function readOptions(args: string[], items: string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const only = values.only?.split(',').map((name) => name.trim().toUpperCase()) ?? null;
  const unknown = only?.find((name) => !items.includes(name));
  if (unknown !== undefined)
    throw new BenchError(`Unknown work item "${unknown}". The work items are: ${items.join(', ')}.`);
  return {
    only,
    rounds: integer('rounds', values.rounds, 1, 100),
    seconds: integer('seconds', values.seconds, 1, 600),
    events: integer('events', values.events, 1_000, 10_000_000),
    connections: integer('connections', values.connections, 1, 1_000),
    discovery: readDiscovery(values.discovery),
    json: values.json ?? null,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        only: { type: 'string' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '5' },
        events: { type: 'string', default: '200000' },
        connections: { type: 'string', default: '64' },
        discovery: { type: 'string', default: 'memory' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BenchError((error as Error).message.split('\n', 1)[0] ?? 'The options are invalid.');
  }
}

/** @throws BenchError that names the option */
export function integer(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new BenchError(`--${name} must be an integer from ${min} to ${max}, not "${text}".`);
}

function readDiscovery(value: string): Options['discovery'] {
  if (value === 'memory' || value === 'sql') return value;
  throw new BenchError(`--discovery takes memory or sql, not "${value}".`);
}
