/** Expands a calendar with python-recurring-ical-events, an independent implementation of RFC 5545. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** Debian's, which has Debian's modules. */
const python = '/usr/bin/python3';
export const expanderProblem =
  spawnSync(python, ['-c', 'import recurring_ical_events']).status === 0
    ? false
    : 'python3 or its module recurring_ical_events is not installed';

/** Start and end: an instant, or a day. */
export type Expanded = {
  uid: string;
  title: string;
  place: string;
  status: string;
  start: string;
  end: string;
};

const expander = `
import datetime, json, sys
import icalendar, recurring_ical_events
def written(value):
    if not isinstance(value, datetime.datetime): return value.isoformat()
    return value.astimezone(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')
text, start, end = json.load(sys.stdin)
events = recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between(
    *[datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.timezone.utc) for day in (start, end)])
print(json.dumps([dict(uid=e.get('UID', ''), title=e.get('SUMMARY', ''), place=e.get('LOCATION', ''), status=e.get('STATUS', 'CONFIRMED'),
    start=written(e['DTSTART'].dt), end=written((e.get('DTEND') or e['DTSTART']).dt)) for e in events]))
`;

/** The dates of a calendar from one day to another, ascending. */
export function expand(text: string, from: string, until: string): Expanded[] {
  const { stdout, stderr, status } = spawnSync(python, ['-c', expander], {
    input: JSON.stringify([text, from, until]),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as Expanded[]).sort((a, b) => (a.start + a.uid < b.start + b.uid ? -1 : 1));
}
