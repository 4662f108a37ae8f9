import assert from 'node:assert/strict';
import test from 'node:test';
import { RecoveryError, startingUp, untilRecovered } from './recovery.ts';

const failure = (code: string) => Object.assign(new Error('refused'), { code });

function failing(times: number, code: string) {
  const calls = { count: 0 };
  const work = async () => {
    calls.count++;
    if (calls.count <= times) throw failure(code);
    return 'done';
  };
  return { calls, work };
}

test('recovery: work runs again after 57P03 until it succeeds', async () => {
  const { calls, work } = failing(2, '57P03');
  assert.equal(await untilRecovered(work, { codes: startingUp }), 'done');
  assert.equal(calls.count, 3);
});

test('recovery: an error of one line after the time limit, and any other error without delay', async () => {
  const endless = failing(Number.POSITIVE_INFINITY, '57P03');
  await assert.rejects(untilRecovered(endless.work, { codes: startingUp, waitMs: 1_000 }), (error) => {
    assert.ok(error instanceof RecoveryError);
    assert.match(error.message, /^after 1 s it still starts up .*; try again later \(57P03\)$/);
    return true;
  });
  assert.ok(endless.calls.count > 2);
  const other = failing(1, '28P01');
  await assert.rejects(untilRecovered(other.work, { codes: startingUp }), { code: '28P01' });
  assert.equal(other.calls.count, 1);
});

test('recovery: a signal ends the wait', async () => {
  const { work } = failing(Number.POSITIVE_INFINITY, '57P03');
  const signal = AbortSignal.timeout(300);
  await assert.rejects(untilRecovered(work, { codes: startingUp, signal }), { name: 'AbortError' });
});
