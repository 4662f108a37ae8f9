/** Calendars as an independent parser reads them. */
import assert from 'node:assert/strict';
import nodeIcal, { type VEvent } from 'node-ical';
import { type ApiResponse, expectStatus } from './setup.ts';

/** The events of an answer, in their order. */
export function eventsIn(answer: ApiResponse): VEvent[] {
  expectStatus(answer, 200);
  assert.equal(answer.headers.get('content-type'), 'text/calendar; charset=utf-8');
  const parts = Object.values(nodeIcal.sync.parseICS(answer.body));
  return parts.filter((part): part is VEvent => part?.type === 'VEVENT');
}

export function eventIn(answer: ApiResponse): VEvent {
  const events = eventsIn(answer);
  assert.equal(events.length, 1);
  return events[0] as VEvent;
}

export const titlesIn = (answer: ApiResponse) => eventsIn(answer).map(({ summary }) => summary);
