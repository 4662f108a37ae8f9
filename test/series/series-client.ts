/** Series through the API. */
import { createEvent, eventBody, type Person } from '../support/factories.ts';
import { type Api, expectStatus, TestClock } from '../support/setup.ts';

export const zone = 'Europe/Berlin';

/** The instant of a wall-clock time in the zone of the tests. */
export const at = (local: string, timezone = zone): string =>
  new Date(Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds).toISOString();

/** A Tuesday, a week after the time at which the clock of the tests begins. */
export const firstDate = '2031-01-07';

/** A clock that begins on 2030-12-31, so that the dates of tests are always the same. */
export function createSeriesClock(at = '2030-12-31T12:00:00Z'): TestClock {
  const clock = new TestClock();
  clock.advance(Date.parse(at) - Date.now());
  return clock;
}

export type Occurrence = {
  id: string;
  title: string;
  status: string;
  startAt: string;
  endAt: string;
  allDay: boolean;
  timezone: string;
  location: { address: string };
  series: { id: string; date: string; isChanged: boolean } | null;
};

export function createSeriesClient(api: Api) {
  /** An event from 18:00 to 20:00 by the clocks of Berlin. */
  const eventOn = (day: string, overrides: Record<string, unknown> = {}) =>
    eventBody({
      startAt: at(`${day}T18:00`),
      endAt: at(`${day}T20:00`),
      timezone: zone,
      ...overrides,
    });
  const create = (organizer: Person, body: Record<string, unknown> = {}) =>
    api.post('/v1/series', organizer.token, {
      event: eventOn(firstDate),
      rrule: 'FREQ=WEEKLY;COUNT=4',
      ...body,
    });
  const createSeries = async (organizer: Person, body: Record<string, unknown> = {}) =>
    expectStatus(await create(organizer, body), 201).body;
  const eventsOf = async (id: string, query = '', viewer?: Person): Promise<Occurrence[]> => {
    const events: Occurrence[] = [];
    for (let cursor = ''; ; ) {
      const page = await api.get(`/v1/series/${id}/events?limit=50${query}${cursor}`, viewer?.token);
      events.push(...expectStatus(page, 200).body.data);
      if (page.body.nextCursor === null) return events;
      cursor = `&cursor=${page.body.nextCursor}`;
    }
  };
  const datesOf = async (id: string, viewer?: Person): Promise<(string | undefined)[]> =>
    (await eventsOf(id, '', viewer)).map(({ series }) => series?.date);
  /** The RSVP of a person to each coming date. */
  const rsvpsOf = async (id: string, person: Person): Promise<(string | null)[]> =>
    Promise.all(
      (await eventsOf(id, '', person)).map(
        async (event) => expectStatus(await api.get(`/v1/events/${event.id}`, person.token), 200).body.myRsvp,
      ),
    );
  const patch = (id: string, organizer: Person, body: object, scope?: string, headers = {}) =>
    api.call('PATCH', `/v1/events/${id}${scope ? `?scope=${scope}` : ''}`, {
      token: organizer.token,
      body,
      headers,
    });
  const remove = (id: string, organizer: Person, scope?: string) =>
    api.delete(`/v1/events/${id}${scope ? `?scope=${scope}` : ''}`, organizer.token);
  const get = async (id: string, viewer?: Person) =>
    expectStatus(await api.get(`/v1/series/${id}`, viewer?.token), 200).body;
  return { create, createSeries, eventsOf, datesOf, rsvpsOf, patch, remove, get, eventOn, createEvent };
}
