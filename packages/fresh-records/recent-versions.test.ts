import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import { deletedVersion, isCurrent, RecentVersions, versionFor } from './recent-versions.ts';

test('versions: a lower one does not replace a higher one; a deletion is above all', () => {
  const versions = new RecentVersions();
  versions.set('event', 7);
  versions.set('event', 6);
  assert.equal(versions.get('event'), 7);
  assert.deepEqual(
    [null, 6, 7, 8].map((found) => isCurrent(versions.get('event'), found)),
    [false, false, true, true],
  );
  versions.set('event', deletedVersion);
  versions.set('event', 8);
  assert.deepEqual(
    [null, 8, 1e9].map((found) => isCurrent(versions.get('event'), found)),
    [true, false, false],
  );
  assert.equal(isCurrent(versions.get('other'), null), true);
});

test('versions: that of another kind does not count; deletions count for all kinds', () => {
  const [event, person] = [8 * 5, 8 * 5 + 1];
  assert.deepEqual([versionFor(0, event), versionFor(1, person)], [5, 5]);
  assert.deepEqual([versionFor(0, person), versionFor(2, person)], [undefined, undefined]);
  for (const version of [deletedVersion, undefined]) assert.equal(versionFor(0, version), version);
});

test('versions: the last 32,768 records are remembered for 150 s; at most twice as many are held', (context) => {
  const versions = new RecentVersions();
  for (let i = 0; i < 200_000; i++) versions.set(`event ${i}`, i);
  for (const i of [199_999, 180_000, 167_232]) assert.equal(versions.get(`event ${i}`), i);
  const held = [...versions];
  assert.ok(held.length <= 2 * 32_768, `${held.length} versions`);
  assert.equal(new Set(held.map(([key]) => key)).size, held.length);

  const since = performance.now();
  const now = mock.method(performance, 'now', () => since + 149_000);
  context.after(() => now.mock.restore());
  versions.set('later', 1);
  assert.equal(versions.get('event 199999'), 199_999);
  for (const seconds of [301, 602]) {
    now.mock.mockImplementation(() => since + seconds * 1_000);
    versions.set(`after ${seconds} s`, 1);
  }
  assert.equal(versions.get('event 199999'), undefined);
  assert.equal(versions.get('later'), undefined);
});
