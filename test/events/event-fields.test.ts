/** Each field of an event that a request may leave out: changes, copies, the export and calendars. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { eventIn } from '../calendars/calendar-parsing.ts';
import { optionalFields } from '../operations/event-fields.ts';
import { createEvent, createUser, inDays } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { token, ...organizer } = await createUser(api);

/** Without the fields that responses show in another form, or that depend on others. */
const { coverUrl: _cover, template: _template, allDay: _allDay, ...plainFields } = optionalFields;

const read = async (id: string) => expectStatus(await api.get(`/v1/events/${id}`, token), 200).body;
const change = (id: string, field: string, value: unknown) =>
  api.patch(`/v1/events/${id}`, token, { [field]: value });

for (const [field, { rule, inCalendar, inCopy }] of Object.entries(plainFields))
  test(`${field}: stored, shown, copied and exported as sent; 400 for other values`, async () => {
    const { id } = await createEvent(api, { ...organizer, token }, { [field]: rule.good[0] });
    assert.deepEqual((await read(id))[field], rule.good[0]);
    for (const value of rule.good) {
      assert.deepEqual(expectStatus(await change(id, field, value), 200).body[field], value);
      assert.deepEqual((await read(id))[field], value);
    }
    for (const value of rule.bad) {
      const { body } = expectProblem(await change(id, field, value), 400, 'invalid_request');
      assert.equal(body.errors[0].path.split('.')[0], field);
    }
    const stored = rule.good.at(-1);
    const inCopyOf = inCopy === undefined ? stored : inCopy;
    const copied = await api.post(`/v1/events/${id}/duplicate`, token, { startAt: inDays(9) });
    assert.deepEqual(expectStatus(copied, 201).body[field], inCopyOf);
    const { events } = expectStatus(await api.get('/v1/me/export', token), 200).body;
    assert.deepEqual(events.find((event: { id: string }) => event.id === id)[field], stored);
    if (!inCalendar) return;
    expectStatus(await change(id, field, 'First line\nsecond line'), 200);
    const { description } = eventIn(await api.get(`/v1/events/${id}/calendar.ics`, token));
    assert.equal(description, 'First line\nsecond line');
  });
