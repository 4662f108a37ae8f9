/** Time that passes only when a test says so: nothing depends on how fast the machine is. */
import assert from 'node:assert/strict';
import { runImports } from '../../src/modules/imports/runs/run-imports.ts';
import { followSources } from '../../src/modules/imports/sources/follow-sources.ts';
import type { Person } from '../support/factories.ts';
import { type TestApp, TestClock } from '../support/setup.ts';
import { type createSourceClient, jobServices, type Source } from './source-client.ts';

/** An hour of sources at the address of tests. */
export const hour = 1_000;
/** An hour, with what the next fetch may be late. */
export const hourAndJitter = 1.1 * hour;

export class StandingClock extends TestClock {
  // The hours of hosts begin with whole ones.
  #now = Math.ceil(Date.now() / hour) * hour;
  override now = (): Date => new Date(this.#now);
  override advance(ms: number): void {
    this.#now += ms;
  }
}

/** The jobs of servers that have a clock which stands still. */
export function createStandingJobs(
  api: TestApp,
  origin: string,
  { get, eventually }: Pick<ReturnType<typeof createSourceClient>, 'get' | 'eventually'>,
) {
  /** The job of a server does what is due. */
  async function work(server = api): Promise<void> {
    const services = jobServices(server, origin);
    await followSources(services);
    await runImports(services);
  }

  /** Lets time pass, and waits until something holds, by the work of any server. */
  async function after<T>(
    ms: number,
    what: string,
    look: () => Promise<T | null | undefined | false>,
  ): Promise<T> {
    api.clock.advance(ms);
    return await eventually(what, async () => {
      await work();
      return await look();
    });
  }
  /** Lets time pass until the next good fetch of a source, and returns the source. */
  const fetchedAfter = (ms: number, person: Person, id: string): Promise<Source> =>
    after(ms, 'a good fetch', async () => {
      const source = await get(person, id);
      return source.lastGoodAt === api.clock.now().toISOString() && source;
    });
  /** Waits until all that is due now has been done, also what the server itself has begun. */
  async function settled(): Promise<void> {
    await eventually('nothing is left to do', async () => {
      await work();
      const now = api.clock.now();
      // A source that a server works on is due again when its lease ends, long after its next fetch.
      const left = await api.sql`
        select id from import_runs
        where status in ('reading', 'publishing') and source_id in (select id from sources)
        union all select id from sources where due_at <= ${now} or due_at > ${new Date(now.getTime() + 60 * hour)}`;
      return left.length === 0;
    });
  }

  /** Fetches what is followed in each of the next hours. */
  async function hoursLater(hours: number): Promise<void> {
    for (let passed = 0; passed < hours; passed++) {
      await settled();
      api.clock.advance(hourAndJitter);
    }
    await settled();
  }

  /** Waits until something holds, at most ten hours. */
  async function within<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
    for (let passed = 0; passed < 10; passed++) {
      await settled();
      const found = await look();
      if (found) return found;
      api.clock.advance(hourAndJitter);
    }
    return assert.fail(`not within ten hours: ${what}`);
  }
  return { work, after, fetchedAfter, settled, hoursLater, within };
}
