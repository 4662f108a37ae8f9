import assert from 'node:assert/strict';
import test from 'node:test';
import { lastDue } from './nightly-backup.ts';

test('nightly backup: the last due time is that of today, or of yesterday before it', () => {
  const cases: [string, string, string][] = [
    ['2026-11-26T03:29:59.999Z', '03:30', '2026-11-25T03:30:00.000Z'],
    ['2026-11-26T03:30:00.000Z', '03:30', '2026-11-26T03:30:00.000Z'],
    ['2026-11-26T23:59:59.999Z', '03:30', '2026-11-26T03:30:00.000Z'],
    ['2026-11-26T00:00:00.000Z', '00:00', '2026-11-26T00:00:00.000Z'],
    ['2026-11-26T23:58:00.000Z', '23:59', '2026-11-25T23:59:00.000Z'],
  ];
  for (const [now, at, expected] of cases) {
    const [hours = 0, minutes = 0] = at.split(':').map(Number);
    assert.equal(lastDue(new Date(now), hours * 60 + minutes).toISOString(), expected, now);
  }
});
