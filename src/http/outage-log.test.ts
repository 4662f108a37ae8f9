import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import { outages as metric } from './metrics.ts';
import { OutageLog } from './outage-log.ts';

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** Lets pending promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** The value of the metric for the database. */
const gauge = async () => (await metric.get()).values.find(({ labels }) => labels.kind === 'database')?.value;

test('outages: one reminder a minute for any number of failures, and an end after 30 s without failures; the metric is 1 meanwhile', async () => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  let now = 0;
  const clock = mock.method(performance, 'now', () => now);
  try {
    const lines: { msg: string; failures?: number; seconds?: number; code?: string }[] = [];
    const note = (fields: object, msg: string) => void lines.push({ ...fields, msg });
    const outages = new OutageLog({ error: note, warn: note } as never);
    let isDown = true;
    outages.addProbe('database', async () => {
      if (isDown) throw refused();
    });
    const pass = async (seconds: number, fails: boolean) => {
      for (let i = 0; i < seconds; i++) {
        now += 1_000;
        if (fails) for (let n = 0; n < 10; n++) outages.report('database', refused());
        mock.timers.tick(1_000);
        await settle();
      }
    };
    assert.equal(await gauge(), 0);
    await pass(150, true);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['outage of database began', 'outage of database continues', 'outage of database continues'],
    );
    assert.deepEqual([lines[1]?.code, lines[0]?.code], ['ECONNREFUSED', 'ECONNREFUSED']);
    // The database is reachable again, but requests still fail.
    isDown = false;
    await pass(20, true);
    assert.equal(lines.filter(({ msg }) => msg.endsWith('ended')).length, 0);
    assert.equal(await gauge(), 1);
    await pass(10, false);
    const ended = lines.at(-1);
    assert.deepEqual([ended?.msg, ended?.failures], ['outage of database ended', 1_700]);
    assert.equal(await gauge(), 0);
    const count = lines.length;
    await pass(200, false);
    assert.equal(lines.length, count);
    // A suspicion without an error starts an outage only if the probe fails.
    outages.suspectDatabase();
    await settle();
    assert.equal(lines.length, count);
    isDown = true;
    now += 10_000;
    outages.suspectDatabase();
    await settle();
    assert.equal(lines.at(-1)?.msg, 'outage of database began');
    outages.close();
  } finally {
    clock.mock.restore();
    mock.timers.reset();
  }
});
