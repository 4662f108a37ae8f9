/** Parses the calendar of a response with an independent parser. */
import assert from 'node:assert/strict';
import nodeIcal, { type VEvent } from 'node-ical';
import { type ApiResponse, expectStatus } from '../support/setup.ts';

/** The events of the calendar, in the order of the file. */
export function eventsIn(response: ApiResponse): VEvent[] {
  expectStatus(response, 200);
  assert.equal(response.headers.get('content-type'), 'text/calendar; charset=utf-8');
  const parts = Object.values(nodeIcal.sync.parseICS(response.body));
  return parts.filter((part): part is VEvent => part?.type === 'VEVENT');
}

export function eventIn(response: ApiResponse): VEvent {
  const events = eventsIn(response);
  assert.equal(events.length, 1);
  return events[0] as VEvent;
}

export const titlesIn = (response: ApiResponse) => eventsIn(response).map(({ summary }) => summary);
