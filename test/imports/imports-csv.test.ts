/** Imports of tables: what programs and people write as CSV. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createImportClient, type Entry } from './import-client.ts';

const api = await startTestApp();
const client = createImportClient(api);
const { send, until, entriesOf, sendPublish, publish, eventOf } = client;
const person = await createUser(api);
const csv = { 'content-type': 'text/csv' };
const berlin = '?place=52.52,13.405';

type Text = string | Buffer<ArrayBuffer>;
const review = (file: Text, query = berlin, owner = person) => client.review(owner, file, query, csv);
const lines = (...rows: string[]): string => `${rows.join('\r\n')}\r\n`;
const answer = (id: string, answers: unknown, owner = person) =>
  api.patch(`/v1/imports/${id}`, owner.token, { answers });

/** The entries of a table. */
async function read(file: Text, query = berlin): Promise<Entry[]> {
  const run = await review(file, query);
  assert.deepEqual([run.status, run.problem, run.questions], ['review', null, []]);
  return entriesOf(person, run.id);
}
const times = ({ event }: Entry) => [event.startAt, event.endAt, event.allDay, event.timezone];

test('csv: the columns of Google Calendar', async () => {
  const [choir, fair, ...others] = await read(
    lines(
      'Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private',
      '"Choir, open rehearsal",03/13/2027,7:00 PM,03/13/2027,9:30 PM,False,"Bring a ""score"".',
      'All welcome.","Rathaus, Berlin",False',
      'Spring fair,05/01/2027,,05/02/2027,,True,,,True',
    ),
  );
  assert.equal(others.length, 0);
  assert.ok(choir && fair);
  assert.deepEqual(times(choir), [
    ...['2027-03-13T18:00:00.000Z', '2027-03-13T20:30:00.000Z', false, 'Europe/Berlin'],
  ]);
  assert.deepEqual(
    [
      choir.event.title,
      choir.event.description,
      choir.event.location.address,
      choir.event.visibility,
      choir.line,
    ],
    ['Choir, open rehearsal', 'Bring a "score".\nAll welcome.', 'Rathaus, Berlin', 'public', 2],
  );
  assert.deepEqual(times(fair), [
    '2027-04-30T22:00:00.000Z',
    '2027-05-02T22:00:00.000Z',
    true,
    'Europe/Berlin',
  ]);
  assert.deepEqual([fair.event.visibility, fair.line, fair.state], ['private', 4, 'new']);
});

test('csv: the columns of Eventbrite, whose rows are orders of an event', async () => {
  const row = (order: string) =>
    `${order},2027-01-01 12:00:00,Ada,L.,ada@example.org,Bread baking,900100200,2027-03-05,19:0:00,America/New_York,"Brooklyn, NY, USA",1,Standard,12.50,USD`;
  const [baking, again] = await read(
    lines(
      'Order ID,Order date,Attendee first name,Attendee last name,Attendee email,Event name,Event ID,Event start date,Event start time,Event timezone,Event location,Ticket quantity,Ticket type,Ticket price,Currency',
      row('1'),
      row('2'),
    ),
    '',
  );
  assert.ok(baking && again);
  const [taken, left] = baking.event ? [baking, again] : [again, baking];
  assert.deepEqual([taken.event.title, taken.event.timezone], ['Bread baking', 'America/New_York']);
  assert.equal(taken.event.startAt, '2027-03-06T00:00:00.000Z');
  assert.deepEqual([taken.event.price, taken.event.currency, taken.event.isPriceKnown], [12.5, 'USD', true]);
  assert.equal(left.state, 'refused');
  assert.match(left.reason ?? '', /same UID/);
});

test('csv: the columns of Meetup, with tabs, UTF-16 and addresses of online events', async () => {
  const text = lines(
    'Event name\tEvent ID\tEvent date\tStart time\tEnd time\tVenue name\tAddress\tCity\tCountry\tEvent URL\tEvent type',
    'Hack night\tabc123456\tMarch 9, 2027\t6:30 PM\t12:30 AM\tc-base\tRungestraße 20\tBerlin\tGermany\thttps://www.meetup.com/x/events/1/\tTechnology',
    'Talk\tabc123457\tMarch 10, 2027\t6:30 PM\t8 PM\tOnline event\t\t\t\thttps://www.meetup.com/x/events/2/\tTechnology',
  );
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  const [night, talk] = await read(utf16);
  assert.ok(night && talk);
  assert.deepEqual(times(night).slice(0, 2), ['2027-03-09T17:30:00.000Z', '2027-03-09T23:30:00.000Z']);
  assert.deepEqual(
    [night.event.location.address, night.event.description, night.event.category, night.doubts],
    ['c-base, Rungestraße 20, Berlin, Germany', 'https://www.meetup.com/x/events/1/', 'tech', []],
  );
  assert.deepEqual([talk.event.locationKind, talk.event.onlineUrl, talk.state], ['online', null, 'new']);
});

test('csv: answers to a Google form, whose first column is no date of the event', async () => {
  const [picnic] = await read(
    lines(
      'Timestamp,Email Address,Name,What is it called?,Event title,Date of the event (dd/mm/yyyy),Date,Start time,Location',
      '2027/01/02 6:00:12 PM GMT+1,ada@example.org,Ada,,Picnic,,4/13/2027,3:00:00 PM,Tiergarten Berlin',
    ),
  );
  assert.ok(picnic);
  assert.deepEqual([picnic.event.title, picnic.event.startAt], ['Picnic', '2027-04-13T13:00:00.000Z']);
});

test('csv: the columns of Outlook in German, with semicolons and Windows-1252', async () => {
  const text = lines(
    '"Betreff";"Beginnt am";"Beginnt um";"Endet am";"Endet um";"Ganztägiges Ereignis";"Beschreibung";"Ort";"Privat"',
    '"Führung";"05.03.2027";"19:00:00";"05.03.2027";"21:00:00";"Aus";"";"München";"Aus"',
    '"Straßenfest";"12.06.2027";"00:00:00";"14.06.2027";"00:00:00";"Wahr";"";"";"Ja"',
  );
  const [tour, fest] = await read(Buffer.from(text, 'latin1'));
  assert.ok(tour && fest);
  assert.deepEqual(
    [tour.event.title, tour.event.startAt, tour.event.location.address],
    ['Führung', '2027-03-05T18:00:00.000Z', 'München'],
  );
  // Two days: Outlook writes the midnight behind the last one.
  assert.deepEqual(times(fest).slice(0, 3), ['2027-06-11T22:00:00.000Z', '2027-06-13T22:00:00.000Z', true]);
  assert.equal(fest.event.visibility, 'private');
});

test('csv: tables that people write in Swedish, French and Arabic', async () => {
  const [swedish] = await read(
    lines(
      'Evenemang;Datum;Tid;Plats;Pris',
      'Körkväll;lördag den 3 april 2027;18.30–20.00;Rådhuset, Göteborg;gratis',
    ),
    '',
  );
  assert.ok(swedish);
  assert.deepEqual(times(swedish), [
    ...['2027-04-03T16:30:00.000Z', '2027-04-03T18:00:00.000Z', false, 'Europe/Stockholm'],
  ]);
  assert.deepEqual([swedish.event.price, swedish.event.isPriceKnown], [0, true]);
  const [french] = await read(
    lines('Titre,Date de début,Heure de début,Lieu,Tarif', 'Fête,14 juillet 2027,18h30,Lyon,"12,50 €"'),
    '',
  );
  assert.deepEqual(
    [french?.event.startAt, french?.event.timezone, french?.event.price, french?.event.currency],
    ['2027-07-14T16:30:00.000Z', 'Europe/Paris', 12.5, 'EUR'],
  );
  const [arabic] = await read(lines('العنوان,التاريخ,الوقت', 'لقاء,٣ أبريل ٢٠٢٧,٦:٠٠ م'));
  assert.deepEqual([arabic?.event.title, arabic?.event.startAt], ['لقاء', '2027-04-03T16:00:00.000Z']);
});

test('csv: what is no date or has no title is refused with its line; formulas are text', async () => {
  const entries = await read(
    lines(
      'My events of the year,,',
      'Title,Date,Start time',
      '"=HYPERLINK(""https://example.org"")",2027-03-05,18:00',
      ',2027-03-06,18:00',
      ',,',
      'Dinner,soon,18:00',
      'Lunch,,12:00',
      'Walk,2027-03-08,in the evening',
      '"Two',
      'lines",2027-02-30,',
    ),
  );
  assert.deepEqual(
    entries.map(({ state, event, line, reason }) => [line, state, event?.title ?? null, reason]),
    [
      [3, 'new', '=HYPERLINK("https://example.org")', null],
      [4, 'refused', null, 'has no "Title"'],
      [6, 'refused', null, '"Dinner" "soon" in "Date" is not a date'],
      [7, 'refused', null, '"Lunch" has no "Date"'],
      [8, 'new', 'Walk', '"in the evening" in "Start time" is not a date or time; it was left out'],
      [9, 'refused', null, '"Two lines" "2027-02-30" in "Date" is not a date'],
    ],
  );
  assert.equal(entries[4]?.event.allDay, true);
});

test('csv: a quotation mark that is never closed is refused, and the rows behind it come in', async () => {
  const entries = await read(
    lines('Title,Date', 'One,2027-03-05', '"Two,2027-03-06', 'Three,2027-03-07', 'A 5" pipe,2027-03-08'),
  );
  assert.deepEqual(
    entries.map(({ state, event, line }) => [line, state, event?.title ?? null]),
    [
      [2, 'new', 'One'],
      [3, 'refused', null],
      [4, 'new', 'Three'],
      [5, 'new', 'A 5" pipe'],
    ],
  );
});

const ambiguous = lines(
  'Title,Start Date,Start Time,End Date',
  'Dinner,03/04/2027,6:00 PM,03/04/2027',
  'Lunch,05/04/2027,12:00 PM,',
);

// spec: 6 PATCH /v1/imports/:id: a question is answered
test('csv: dates whose order nothing decides are a question; the answer needs no second upload', async () => {
  for (const [option, startAt] of [
    ['dayFirst', '2027-04-03T16:00:00.000Z'],
    ['monthFirst', '2027-03-04T17:00:00.000Z'],
  ] as const) {
    const owner = await createUser(api);
    const run = await review(ambiguous, berlin, owner);
    assert.deepEqual([run.status, run.problem], ['review', null]);
    const [question, ...others] = run.questions;
    assert.equal(others.length, 0);
    const { id, ...rest } = question;
    assert.deepEqual(rest, {
      ...{ column: 'Start Date', kind: 'dateOrder', options: ['dayFirst', 'monthFirst'] },
      example: '03/04/2027',
    });
    assert.deepEqual(await entriesOf(owner, run.id), []);
    expectProblem(await sendPublish(owner, run.id), 409, 'question_open');
    expectProblem(await answer(run.id, { [id]: option }), 404, 'import_not_found');
    for (const wrong of [{ [id]: 'yearFirst' }, { other: option }, { [id]: null }])
      expectProblem(await answer(run.id, wrong, owner), 400, 'invalid_request');
    const answered = expectStatus(await answer(run.id, { [id]: option }, owner), 200).body;
    assert.deepEqual([answered.id, answered.questions], [run.id, []]);
    await until(owner, run.id, 'review');
    const [dinner] = await entriesOf(owner, run.id);
    assert.deepEqual([dinner?.event.startAt, dinner?.state], [startAt, 'new']);
    // The answer that was lost on its way is sent again.
    expectStatus(await answer(run.id, { [id]: option }, owner), 200);
    await publish(owner, run.id);
    expectProblem(await answer(run.id, { [id]: option }, owner), 409, 'import_published');
    const [published] = await entriesOf(owner, run.id);
    assert.ok(published);
    assert.equal((await eventOf(owner, published)).startAt, startAt);
  }
});

test('csv: two answers at once are one', async () => {
  const run = await review(ambiguous);
  const [{ id }] = run.questions;
  const answers = await Promise.all(
    ['dayFirst', 'monthFirst'].map((option) => answer(run.id, { [id]: option })),
  );
  assert.ok(answers.some(({ status }) => status === 200));
  assert.ok(answers.every(({ status }) => [200, 400, 409].includes(status)));
  await until(person, run.id, 'review');
  assert.equal((await entriesOf(person, run.id)).length, 2);
});

test('csv: a value above 12 decides for the column, and for the others that do not decide', async () => {
  const [first] = await read(lines('Title,Date', 'A,03/04/2027', 'B,13/04/2027'));
  assert.equal(first?.event.startAt, '2027-04-02T22:00:00.000Z');
  const [second] = await read(lines('Title,Date', 'A,03/04/2027', 'B,04/13/2027'));
  assert.equal(second?.event.startAt, '2027-03-03T23:00:00.000Z');
  const [third] = await read(lines('Title,Start Date,End Date', 'A,03/04/2027,03/13/2027'));
  assert.equal(third?.event.startAt, '2027-03-03T23:00:00.000Z');
  const [equal] = await read(lines('Title,Date', 'A,05/05/2027'));
  assert.equal(equal?.event.startAt, '2027-05-04T22:00:00.000Z');
});

test('csv: dates of both orders in a column are failed with date_order, which names the lines', async () => {
  const run = await review(lines('Title,Date', 'A,13/04/2027', 'B,04/14/2027'));
  assert.deepEqual([run.status, run.problem.code], ['failed', 'date_order']);
  assert.match(run.problem.detail, /"13\/04\/2027" in line 2.*"04\/14\/2027" in line 3.*"Date"/);
});

test('csv: the same table twice changes nothing; a changed cell is a change', async () => {
  const owner = await createUser(api);
  const file = lines(
    'Title,Date,Start time,Description',
    'Dinner,2027-03-05,18:00,Soup',
    'Lunch,2027-03-06,12:00,',
  );
  const first = await review(file, berlin, owner);
  await publish(owner, first.id);
  const again = await review(file, berlin, owner);
  assert.deepEqual([again.counts.same, again.counts.new], [2, 0]);
  const changed = await review(file.replace('Soup', 'Salad'), berlin, owner);
  assert.deepEqual([changed.counts.same, changed.counts.changed], [1, 1]);
});

test('csv: a file without columns for titles and dates is failed with file_unreadable; other types are 415', async () => {
  for (const file of ['', 'x', lines('a,b', '1,2'), lines('Title,Place', 'Dinner,Berlin'), '<html></html>']) {
    const sent = await send(person, file, '', csv);
    if (file === '' && sent.status === 400) continue;
    const run = await until(person, expectStatus(sent, 202).body.id, 'review', 'failed');
    assert.deepEqual([run.status, run.problem.code], ['failed', 'file_unreadable'], file);
  }
  const json = { 'content-type': 'application/x-csv' };
  expectProblem(await send(person, ambiguous, '', json), 415, 'unsupported_media_type');
});

test('csv: above 5 MB 413, above 5,000 entries 413 or failed with payload_too_large', async () => {
  expectProblem(
    await send(person, lines('Title,Date', 'x'.repeat(5_000_000)), '', csv),
    413,
    'payload_too_large',
  );
  const row = 'Dinner,2027-03-05\r\n';
  expectProblem(await send(person, `Title,Date\r\n${row.repeat(5_100)}`, '', csv), 413, 'payload_too_large');
  const quoted = await review(`"Title",Date\r\n${row.repeat(5_001)}`);
  assert.deepEqual([quoted.status, quoted.problem?.code], ['failed', 'payload_too_large']);
});
