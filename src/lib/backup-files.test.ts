import assert from 'node:assert/strict';
import test from 'node:test';
import { type KeepRules, listUnneeded, nameOfBackup, parseKeepRules } from './backup-files.ts';

/** The newest first. */
const backupsAt = (...times: string[]) =>
  times
    .map((time) => new Date(`${time}Z`))
    .sort((a, b) => b.getTime() - a.getTime())
    .map((at) => ({ name: nameOfBackup(at), at, bytes: 1 }));

/** One at 03:30 on each day of the time. */
function nightly(from: string, days: number) {
  const start = new Date(`${from}T03:30:00Z`).getTime();
  return backupsAt(
    ...Array.from({ length: days }, (_, n) => new Date(start + n * 86_400_000).toISOString().slice(0, 19)),
  );
}

/** The dates of the backups that stay, the newest first. */
function kept(backups: ReturnType<typeof nightly>, rules: KeepRules): string[] {
  const unneeded = new Set(listUnneeded(backups, rules));
  return backups.filter((backup) => !unneeded.has(backup)).map(({ at }) => at.toISOString().slice(5, 10));
}

test('retention: the newest backup of each of the last days, weeks and months that have one', () => {
  // 2026-11-26 is a Thursday.
  const month = nightly('2026-10-28', 30);
  const cases: [string, ReturnType<typeof nightly>, KeepRules, string[]][] = [
    ['days', month, { daily: 3 }, ['11-26', '11-25', '11-24']],
    ['weeks end on Sunday', month, { weekly: 3 }, ['11-26', '11-22', '11-15']],
    ['months end on their last day', month, { monthly: 2 }, ['11-26', '10-31']],
    ['rules add up', month, { daily: 2, weekly: 2, monthly: 2 }, ['11-26', '11-25', '11-22', '10-31']],
    ['no rule', month, {}, ['11-26']],
    ['more than there are', nightly('2026-11-24', 3), { daily: 99, weekly: 99 }, ['11-26', '11-25', '11-24']],
    ['none', [], { daily: 7 }, []],
    [
      'the last one of a day',
      backupsAt('2026-11-25T01:00:00', '2026-11-25T23:59:59', '2026-11-26T00:00:00'),
      { daily: 7 },
      ['11-26', '11-25'],
    ],
    [
      'days without a backup do not count',
      backupsAt('2026-11-26T03:30:00', '2026-11-20T03:30:00', '2026-11-01T03:30:00'),
      { daily: 2 },
      ['11-26', '11-20'],
    ],
    [
      'a week over the end of a year',
      backupsAt('2026-12-27T03:30:00', '2026-12-28T03:30:00', '2027-01-03T03:30:00', '2027-01-04T03:30:00'),
      { weekly: 3 },
      ['01-04', '01-03', '12-27'],
    ],
  ];
  for (const [what, backups, rules, expected] of cases)
    assert.deepEqual(kept(backups, rules), expected, what);
});

test('retention: rules are numbers by period, each once', () => {
  assert.deepEqual(parseKeepRules('daily=7, weekly=4,monthly=12'), { daily: 7, weekly: 4, monthly: 12 });
  for (const text of [
    '',
    'daily',
    'daily=0',
    'daily=-1',
    'daily=1.5',
    'hourly=3',
    'daily=1,daily=2',
    'toString=1',
  ])
    assert.equal(parseKeepRules(text), null, text);
});
