/** The model of docs/scaling.md: sizes and rates as functions of people and events. */

/** Bytes for each unit: table and indexes, the slope between 10⁵ and 10⁶ (`bytes`). */
const bytes = {
  people: 1_018,
  events: 1_632,
  rsvps: 318,
  saves: 151,
  items: 266,
  claims: 189,
  bookings: 236,
  follows: 410,
  messages: 544,
  notifications: 260,
  audit: 257,
};
export type Unit = keyof typeof bytes;

/** What a person or an event has, on average over all of them. An operator counts these in the own database. */
const habits = {
  perEvent: { rsvps: 10, saves: 2, items: 4, claims: 3, bookings: 2 },
  perPerson: { follows: 20, messages: 100, notifications: 40, audit: 10 },
};

/** Of the discovery index, for each listed event, in bytes (`index`). */
const indexBytes = { held: 400, listedShare: 0.97 };

/** Of each action: statements, entries of the change log, bytes of write-ahead log, and of responses (`actions`). */
const costs = {
  list: { statements: 3, log: 0, wal: 0, response: 2_300 },
  view: { statements: 3, log: 0, wal: 0, response: 2_100 },
  rsvp: { statements: 7, log: 1, wal: 1_290, response: 740 },
  save: { statements: 4, log: 0, wal: 520, response: 730 },
  claim: { statements: 6, log: 0, wal: 900, response: 910 },
  booking: { statements: 7, log: 1, wal: 1_400, response: 940 },
  message: { statements: 10, log: 0, wal: 2_290, response: 950 },
  follow: { statements: 10, log: 0, wal: 1_540, response: 750 },
  event: { statements: 7, log: 1, wal: 3_170, response: 2_020 },
} as const;

/** What an active person does in a day. */
const day: Record<keyof typeof costs, number> = {
  list: 10,
  view: 8,
  rsvp: 0.3,
  save: 0.1,
  claim: 0.1,
  booking: 0.05,
  message: 1,
  follow: 0.1,
  event: 0.02,
};
const activeShare = 0.2;
/** The busiest hour has this share of the day. */
const peakHourShare = 0.1;

export type Growth = { events: number; people: number };

/** The number of units. */
export function countUnits({ events, people }: Growth): Record<Unit, number> {
  const scaled = (habit: Record<string, number>, factor: number) =>
    Object.entries(habit).map(([name, number]) => [name, number * factor]);
  return Object.fromEntries([
    ['people', people],
    ['events', events],
    ...scaled(habits.perEvent, events),
    ...scaled(habits.perPerson, people),
  ]);
}

/** Bytes of the database by unit. */
export const predictBytes = (growth: Growth): Record<Unit, number> =>
  Object.fromEntries(
    Object.entries(countUnits(growth)).map(([unit, number]) => [unit, number * bytes[unit as Unit]]),
  ) as Record<Unit, number>;

/** Rates in the busiest hour, for each second. */
export function predictRates({ people }: Growth) {
  const total = { requests: 0, statements: 0, log: 0, wal: 0, response: 0 };
  const factor = (people * activeShare * peakHourShare) / 3_600;
  for (const [action, number] of Object.entries(day)) {
    const cost = costs[action as keyof typeof costs];
    total.requests += number * factor;
    for (const key of ['statements', 'log', 'wal', 'response'] as const)
      total[key] += number * factor * cost[key];
  }
  return total;
}

export const predictIndexBytes = ({ events }: Growth): number =>
  events * indexBytes.listedShare * indexBytes.held;

const short = (value: number) => Number(value.toPrecision(3)).toLocaleString('en');
const gigabytes = (value: number) => `${short(value / 1e9)} GB`;

export function printModel(growth: Growth): void {
  const sizes = predictBytes(growth);
  const counts = countUnits(growth);
  for (const [unit, size] of Object.entries(sizes)) {
    console.log(`${unit}\t${short(counts[unit as Unit])}\t${gigabytes(size)}`);
  }
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  const { requests, statements, log, wal, response } = predictRates(growth);
  console.log(`database\t\t${gigabytes(total)}`);
  console.log(`discovery index of a server\t\t${gigabytes(predictIndexBytes(growth))}`);
  console.log(
    `in the busiest hour, each second: ${short(requests)} requests, ${short(statements)} statements`,
  );
  console.log(`${short(log)} entries of the change log, ${short(wal / 1e6)} MB of write-ahead log`);
  console.log(`${short((response * 8) / 1e6)} Mbit of responses, compressed as clients ask for`);
}
