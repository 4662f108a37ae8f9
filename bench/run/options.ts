/** What the benchmark is told on its command line. */
import { parseArgs } from 'node:util';

export type Options = {
  only: string[] | null;
  rounds: number;
  seconds: number;
  events: number;
  connections: number;
  json: string | null;
};

/** What the operator can mend, in a line. */
export class BenchError extends Error {}

export const help = `npm run bench -- [OPTIONS]

  --only W1,W5        these work items alone
  --rounds 3          how often each is measured; the table shows medians
  --seconds 5         how long each measurement takes
  --events 200000     events in the dataset, which is made when it is not there
  --connections 64    at once
  --json FILE         writes the results there as well
  --help
`;

/** Null when help was asked for. @throws BenchError */
export function readOptions(args: string[], items: string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const only = values.only?.split(',').map((name) => name.trim().toUpperCase()) ?? null;
  const unknown = only?.find((name) => !items.includes(name));
  if (unknown !== undefined)
    throw new BenchError(`There is no work item "${unknown}". There are: ${items.join(', ')}.`);
  return {
    only,
    rounds: whole('rounds', values.rounds, 1, 100),
    seconds: whole('seconds', values.seconds, 1, 600),
    events: whole('events', values.events, 1_000, 10_000_000),
    connections: whole('connections', values.connections, 1, 1_000),
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
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BenchError((error as Error).message.split('\n', 1)[0] ?? 'The options cannot be read.');
  }
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new BenchError(`--${name} takes a whole number from ${min} to ${max}, not "${text}".`);
}
