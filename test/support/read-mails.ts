/** Reads mails and calendars with parsers of Python, which are independent of the libraries that write them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

export type ReadMail = {
  headers: Record<string, string>;
  /** What the parser found wrong. */
  defects: string[];
  parts: { type: string; method: string | null; text: string }[];
};

/** A calendar of one event: its properties, and the parameters of `ATTENDEE`. */
export type ReadCalendar = {
  method: string;
  components: string[];
  event: Record<string, string>;
  attendee: Record<string, string>;
};

/** Debian's, which has Debian's modules. */
const python = '/usr/bin/python3';

export const pythonProblem =
  spawnSync(python, ['-c', 'import icalendar']).status === 0
    ? ''
    : 'python3 or its module icalendar is not installed';

const mailReader = `
import email, email.policy, json, sys
def text_of(content):
    return content.decode() if isinstance(content, bytes) else content
def read(text):
    mail = email.message_from_bytes(text.encode('latin-1'), policy=email.policy.default)
    parts = [part for part in mail.walk() if not part.is_multipart()]
    return {
        'headers': {name.lower(): str(value) for name, value in mail.items()},
        'defects': [repr(d) for part in mail.walk() for d in part.defects],
        'parts': [{'type': part.get_content_type(), 'method': part.get_param('method'), 'text': text_of(part.get_content())} for part in parts],
    }
print(json.dumps([read(text) for text in json.load(sys.stdin)]))
`;

const calendarReader = `
import icalendar, json, sys
calendar = icalendar.Calendar.from_ical(json.load(sys.stdin))
[event] = calendar.walk('VEVENT')
def text_of(value):
    text = value.to_ical()
    return text.decode() if isinstance(text, bytes) else text
print(json.dumps({
    'method': calendar.get('METHOD'),
    'components': [component.name for component in calendar.subcomponents],
    'event': {name: text_of(value) for name, value in event.items()},
    'attendee': dict(event['ATTENDEE'].params),
}))
`;

const entryReader = `
import base64, datetime, icalendar, json, sys
data = base64.b64decode(json.load(sys.stdin))
if data[:2] == b'\\xff\\xfe':
    data = data.decode('utf-16').encode()
try:
    text = data.decode('utf-8-sig')
except UnicodeDecodeError:
    text = data.decode('windows-1252')
text = text[text.index('BEGIN:VCALENDAR'):]
def start_of(event):
    value = event.get('DTSTART')
    at = getattr(value, 'dt', None)
    if not isinstance(at, datetime.datetime) or at.tzinfo is None:
        return None
    return at.astimezone(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')
entries = []
try:
    for event in icalendar.Calendar.from_ical(text).walk('VEVENT'):
        entries.append({'summary': str(event.get('SUMMARY', '')), 'start': start_of(event), 'isSeries': 'RRULE' in event or 'RECURRENCE-ID' in event})
except ValueError:
    pass
print(json.dumps(entries))
`;

/** An entry of a calendar. `start`: in UTC; null for a date, and for a time without a zone that the parser knows. */
export type ReadEntry = { summary: string; start: string | null; isSeries: boolean };

/** Reads the entries of a calendar; none of a file that the parser refuses. */
export const readEntries = (bytes: Buffer): ReadEntry[] =>
  runPython(entryReader, bytes.toString('base64')) as ReadEntry[];

/** @param mails as they were sent, each byte a character */
export const readMails = (mails: string[]): ReadMail[] => runPython(mailReader, mails) as ReadMail[];

export const readCalendar = (text: string): ReadCalendar => runPython(calendarReader, text) as ReadCalendar;

function runPython(program: string, input: unknown): unknown {
  const { stdout, stderr, status } = spawnSync(python, ['-c', program], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}
