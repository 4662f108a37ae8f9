/** The calendar of a series, as an independent program expands it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { expand, expanderProblem } from './expand-calendar.ts';
import { at, createSeriesClient, createSeriesClock, firstDate } from './series-client.ts';

const clock = createSeriesClock();
const api = await startTestApp({ clock });
const { createSeries, eventsOf, patch, remove, eventOn } = createSeriesClient(api);
const organizer = await createUser(api);
const options = { skip: expanderProblem };

const calendarOf = async (id: string, viewer?: Person): Promise<string> =>
  expectStatus(await api.get(`/v1/series/${id}/calendar.ics`, viewer?.token), 200).body;
const unfolded = (text: string) => text.replaceAll('\r\n ', '').split('\r\n');
const linesOf = (text: string, name: string) =>
  unfolded(text).filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`));
const entriesOf = (text: string) => text.split('BEGIN:VEVENT').length - 1;
const sequencesOf = (text: string) => new Set(linesOf(text, 'SEQUENCE'));
const sequenceOf = (text: string) => Number([...sequencesOf(text)][0]?.slice('SEQUENCE:'.length));

/** Requires that the expanded calendar equals the occurrences, from their first to their last one. */
async function expectEqual(id: string, viewer?: Person): Promise<string> {
  const occurrences = [...(await eventsOf(id, '&when=past', viewer)), ...(await eventsOf(id, '', viewer))];
  const text = await calendarOf(id, viewer);
  const last =
    occurrences
      .map(({ endAt }) => endAt)
      .sort()
      .at(-1) ?? '';
  const found = expand(text, '2030-01-01', last.slice(0, 19)).filter(({ start }) => start < last);
  // Lists have the public place.
  const wanted = occurrences.map(({ title, status, location, startAt, endAt, allDay, timezone }) => {
    const [start, end] = [startAt, endAt].map((time) =>
      allDay ? `${Temporal.Instant.from(time).toZonedDateTimeISO(timezone).toPlainDate()}` : time,
    );
    return [start, end, title, location.address, status === 'cancelled' ? 'CANCELLED' : 'CONFIRMED'];
  });
  assert.deepEqual(
    found.map(({ start, end, title, place, status }) => [start, end, title, place, status]).sort(),
    wanted.sort(),
  );
  return text;
}

// spec: 6 GET /v1/series/:id/calendar.ics: a series as a calendar
test(
  'series calendar: 200; changed, cancelled, moved and deleted dates of a weekly series are those of the series',
  options,
  async () => {
    const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY', items: [] });
    const events = await eventsOf(id);
    const idOf = (i: number) => events[i]?.id ?? '';
    expectStatus(await patch(idOf(1), organizer, { title: 'Rehearsal, with guests; all' }), 200);
    expectStatus(await patch(idOf(3), organizer, { status: 'cancelled' }), 200);
    expectStatus(await remove(idOf(5), organizer), 200);
    const moved = { startAt: at('2031-02-20T10:00'), endAt: at('2031-02-20T11:30') };
    expectStatus(await patch(idOf(6), organizer, moved), 200);
    const location = { address: 'Tempelhofer Feld', lat: 52.4731, lng: 13.4017 };
    expectStatus(await patch(idOf(8), organizer, { location }), 200);
    const text = await expectEqual(id);
    assert.deepEqual(linesOf(text, 'RRULE'), ['RRULE:FREQ=WEEKLY']);
    assert.deepEqual(linesOf(text, 'EXDATE'), ['EXDATE;TZID=Europe/Berlin:20310211T180000']);
    assert.deepEqual(
      linesOf(text, 'RECURRENCE-ID'),
      ['20310114', '20310128', '20310218', '20310304'].map(
        (day) => `RECURRENCE-ID;TZID=Europe/Berlin:${day}T180000`,
      ),
    );
    assert.deepEqual(new Set(linesOf(text, 'UID')), new Set([`UID:${id}@127.0.0.1`]));
    assert.equal(sequencesOf(text).size, 1);
  },
);

test(
  'series calendar: an nth weekday, COUNT, UNTIL and several zones expand to the dates',
  options,
  async () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
    const rules = [
      'FREQ=MONTHLY;BYDAY=1TU',
      'FREQ=WEEKLY;COUNT=20',
      'FREQ=WEEKLY;UNTIL=20310401',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20311104T225959Z',
      'FREQ=MONTHLY;BYDAY=-1SU;COUNT=12',
      'FREQ=YEARLY;BYWEEKNO=2',
    ];
    for (const timezone of zones)
      for (const rrule of rules) {
        const day = rrule.includes('-1SU') ? '2031-01-26' : firstDate;
        const [startAt, endAt] = [at(`${day}T18:00`, timezone), at(`${day}T20:00`, timezone)];
        const event = eventOn(day, { startAt, endAt, timezone, title: `${rrule} ${timezone}` });
        const { id } = await createSeries(await createUser(api), { event, rrule });
        const text = await expectEqual(id);
        assert.equal(entriesOf(text), 1, text);
      }
  },
);

test('series calendar: UNTIL is in UTC, and a date of an all-day series', options, async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;UNTIL=20310401' });
  // Clocks change on 30 March: half a day after the last date.
  assert.deepEqual(linesOf(await expectEqual(id), 'RRULE'), ['RRULE:FREQ=WEEKLY;UNTIL=20310402T040000Z']);
  const event = eventOn(firstDate, {
    allDay: true,
    startAt: at('2031-01-07T00:00'),
    endAt: at('2031-01-09T00:00'),
  });
  const days = await createSeries(organizer, {
    event,
    rrule: 'FREQ=WEEKLY;UNTIL=20310401',
    extraDates: ['2031-01-10'],
  });
  const [, second, third] = await eventsOf(days.id);
  expectStatus(await patch(second?.id ?? '', organizer, { title: 'Moved' }), 200);
  expectStatus(await remove(third?.id ?? '', organizer), 200);
  const text = await expectEqual(days.id);
  assert.deepEqual(linesOf(text, 'RRULE'), ['RRULE:FREQ=WEEKLY;UNTIL=20310401']);
  assert.match(linesOf(text, 'EXDATE').join(), /^EXDATE;VALUE=DATE:2031\d{4}$/);
});

test(
  'series calendar: extra dates, and dates that a clock change moves, are entries with their own UID',
  options,
  async () => {
    const event = eventOn('2031-03-27', { startAt: at('2031-03-27T02:30'), endAt: at('2031-03-27T03:30') });
    const { id } = await createSeries(organizer, {
      ...{
        event,
        rrule: 'FREQ=DAILY;COUNT=6',
        extraDates: ['2031-03-28T20:00'],
        excludedDates: ['2031-04-01T02:30'],
      },
    });
    const events = await eventsOf(id);
    const uidOf = (date: string) => `UID:${events.find(({ series }) => series?.date === date)?.id}@127.0.0.1`;
    const text = await expectEqual(id);
    assert.deepEqual(
      new Set(linesOf(text, 'UID')),
      new Set([`UID:${id}@127.0.0.1`, uidOf('2031-03-28T20:00'), uidOf('2031-03-30T02:30')]),
    );
    assert.match(linesOf(text, 'EXDATE').join(), /20310330T023000,20310401T023000$/);
  },
);

test(
  'series calendar: dates over a clock change, and in the hour that repeats, have their start and end',
  options,
  async () => {
    for (const [from, to] of [
      ['02:30', '02:45'],
      ['01:00', '04:00'],
      ['23:00', '03:30'],
      ['02:30', '03:30'],
    ] as const)
      for (const day of ['2031-03-29', '2031-03-30', '2031-10-25', '2031-10-26', '2031-10-24']) {
        const next = to < from ? Temporal.PlainDate.from(day).add({ days: 1 }).toString() : day;
        const event = eventOn(day, { startAt: at(`${day}T${from}`), endAt: at(`${next}T${to}`) });
        if (event.startAt !== at(`${day}T${from}`)) continue;
        const body = { event, rrule: 'FREQ=DAILY;COUNT=5' };
        const made = await api.post('/v1/series', (await createUser(api)).token, body);
        // 02:30 does not exist on 30 March.
        if (made.status === 400) continue;
        await expectEqual(expectStatus(made, 201).body.id);
      }
  },
);

test(
  'series calendar: a split makes two calendars with a UID each, and the later one begins at its first date',
  options,
  async () => {
    const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;COUNT=6' });
    const before = await calendarOf(id);
    const third = (await eventsOf(id))[2];
    const change = { title: 'Choir', startAt: at('2031-01-21T19:00'), endAt: at('2031-01-21T21:00') };
    const { body } = expectStatus(await patch(third?.id ?? '', organizer, change, 'following'), 200);
    const [earlier, later] = [await expectEqual(id), await expectEqual(body.series.id)];
    assert.deepEqual(linesOf(earlier, 'UID'), [`UID:${id}@127.0.0.1`]);
    assert.deepEqual(linesOf(later, 'UID'), [`UID:${body.series.id}@127.0.0.1`]);
    assert.equal(sequenceOf(earlier) > sequenceOf(before), true);
    assert.deepEqual(linesOf(later, 'RRULE'), ['RRULE:FREQ=WEEKLY;COUNT=4']);
  },
);

test('series calendar: SEQUENCE rises for all entries together with each change, and stays without one', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;COUNT=8' });
  const events = await eventsOf(id);
  const idOf = (i: number) => events[i]?.id ?? '';
  const own = (change: object, scope?: string) => () => patch(idOf(0), organizer, change, scope);
  const rule = (change: object) => () =>
    api.call('PATCH', `/v1/series/${id}`, { token: organizer.token, body: change });
  const changes = [
    own({ title: 'Rehearsal' }),
    own({ description: 'Bring water' }, 'all'),
    () => patch(idOf(2), organizer, { status: 'cancelled' }),
    () => remove(idOf(0), organizer),
    rule({ excludedDates: ['2031-01-28T18:00'] }),
    rule({ rrule: 'FREQ=WEEKLY;BYDAY=WE;COUNT=8' }),
    () => patch(idOf(6), organizer, { title: 'Last ones' }, 'following'),
    () => remove(idOf(5), organizer, 'following'),
  ];
  let sequence = sequenceOf(await calendarOf(id));
  for (const [i, change] of changes.entries()) {
    expectStatus(await change(), 200);
    const text = await calendarOf(id);
    assert.equal(sequencesOf(text).size, 1, `change ${i}`);
    assert.equal(sequenceOf(text) > sequence, true, `change ${i}: ${sequenceOf(text)} after ${sequence}`);
    sequence = sequenceOf(text);
    assert.equal(await calendarOf(id), text);
  }
});

test(
  'series calendar: a hidden address is nowhere, for the organizer and guests neither',
  options,
  async () => {
    const location = { address: 'Secret Street 7', lat: 52.5311, lng: 13.3849 };
    const { id } = await createSeries(organizer, {
      event: eventOn(firstDate, { location, addressVisibility: 'going' }),
    });
    const [first, second] = await eventsOf(id);
    expectStatus(await patch(first?.id ?? '', organizer, { title: 'Rehearsal' }), 200);
    const guest = await createUser(api);
    expectStatus(await api.post(`/v1/events/${second?.id}/rsvp`, guest.token, { status: 'going' }), 200);
    for (const viewer of [organizer, guest, undefined]) {
      const text = await calendarOf(id, viewer);
      assert.doesNotMatch(unfolded(text).join('\n'), /Secret|GEO:/);
      assert.equal(text, await calendarOf(id));
    }
    await expectEqual(id);
  },
);

test('series calendar: only the dates that the caller may see; 404 if there is none', options, async () => {
  const guest = await createUser(api);
  const { id } = await createSeries(organizer, {
    event: eventOn(firstDate, { visibility: 'private', title: 'Secret club' }),
  });
  expectProblem(await api.get(`/v1/series/${id}/calendar.ics`, guest.token), 404, 'series_not_found');
  expectProblem(await api.get('/v1/series/none/calendar.ics'), 404, 'series_not_found');
  const [, second] = await eventsOf(id, '', organizer);
  expectStatus(await patch(second?.id ?? '', organizer, { visibility: 'public', title: 'Open house' }), 200);
  const text = await expectEqual(id);
  assert.equal(entriesOf(text), 1 + 1);
  assert.doesNotMatch(text.replace(/X-WR-CALNAME.*|NAME:.*/g, ''), /Secret club/);
  await expectEqual(id, organizer);
});

test('series calendar: a cancelled series has its dates as cancelled ones and no more', options, async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=MONTHLY' });
  const events = await eventsOf(id);
  expectStatus(await patch(events[3]?.id ?? '', organizer, { status: 'cancelled' }, 'following'), 200);
  const text = await expectEqual(id);
  assert.match(linesOf(text, 'RRULE').join(), /UNTIL=/);
});

test('series calendar: the first dates of COUNT have passed', options, async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;COUNT=8' });
  const [first] = await eventsOf(id);
  expectStatus(await remove(first?.id ?? '', organizer), 200);
  const text = await expectEqual(id);
  assert.deepEqual(linesOf(text, 'RRULE'), ['RRULE:FREQ=WEEKLY;COUNT=7']);
});

test('other calendars have each occurrence with its own UID and no rule', async () => {
  const person = await createUser(api);
  const { id } = await createSeries(person, { event: eventOn(firstDate, { category: 'sports' }) });
  const uids = (await eventsOf(id)).map((event) => `UID:${event.id}@127.0.0.1`).sort();
  const { body } = expectStatus(await api.post('/v1/me/calendar', person.token), 201);
  const own = expectStatus(await api.get(new URL(body.url).pathname), 200).body;
  const listed = expectStatus(await api.get('/v1/events.ics?category=sports'), 200).body;
  for (const text of [own, listed]) {
    assert.deepEqual(linesOf(text, 'UID').sort(), uids);
    assert.deepEqual([...linesOf(text, 'RRULE'), ...linesOf(text, 'RECURRENCE-ID')], []);
  }
  const single = expectStatus(await api.get(`/v1/events/${uids[0]?.slice(4, 40)}/calendar.ics`), 200).body;
  assert.deepEqual([linesOf(single, 'UID'), linesOf(single, 'RRULE')], [[uids[0]], []]);
});
