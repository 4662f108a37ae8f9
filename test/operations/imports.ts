/** Imports of calendars. */
import { randomUUID } from 'node:crypto';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { categories, optionalOfEvents, requiredOfEvents } from './events.ts';
import { cursorPage } from './fields.ts';
import { asking, type Operation, of, type RowContext, required, row, text } from './operation.ts';
import { coordinates, flag, httpUrl, oneOf, type Rule } from './rules.ts';

const orders = ['dayFirst', 'monthFirst'];
/** By the ids of open questions, of which the import decides. */
const answersToQuestions: Rule = {
  judge(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'shape';
    const options = Object.values(value);
    if (!options.every((option) => orders.includes(option as string))) return 'shape';
    return options.length === 0 ? 'fits' : 'open';
  },
  good: [{}],
  bad: [null, 0, 'dayFirst', [], ['x'], { 1: 'yearFirst' }, { 1: null }],
};

const states = oneOf('new', 'changed', 'same', 'doubtful', 'refused', 'skipped');

/** An import of the caller that waits for the review, with one entry. The job that reads files would take a second. */
const reviewed =
  (tail: string) =>
  async ({ api, caller }: RowContext): Promise<string> => {
    const id = randomUUID();
    const path = `/v1/imports/${id}${tail}`;
    if (!caller) return path;
    await api.sql`
      insert into import_runs (user_id, id, status, media, options, created_at)
      select id, ${id}, 'review', 'calendar', '{}', now() from users where id = ${caller.id}`;
    await api.sql`
      insert into import_entries (user_id, import_id, n, state, key, details)
      select user_id, id, 1, 'refused', '',
        '{"line": 1, "uid": "", "event": null, "change": null, "content": null, "knownId": null, "doubts": [], "duplicates": [], "reason": "x"}'
      from import_runs where user_id = ${caller.id} and id = ${id}`;
    return path;
  };

/** A calendar that the caller follows, which no server fetches: it was given up. */
const followed =
  (tail = '') =>
  async ({ api, caller }: RowContext): Promise<string> => {
    const id = randomUUID();
    const path = `/v1/sources/${id}${tail}`;
    if (!caller) return path;
    await api.sql`
      insert into sources (user_id, id, address_hash, url, auto_publish, options, created_at, wanted_since)
      select id, ${id}, ${Buffer.from(id)}, ${`https://calendars.invalid/${id}`}, false,
        '{"category": "other", "visibility": "public", "place": null}', now(), now()
      from users where id = ${caller.id}`;
    return path;
  };

export const importOperations: Record<string, Operation> = {
  'POST /v1/imports': {
    ...required(202),
    ...asking({
      place: text(coordinates(2)),
      visibility: text(oneOf('public', 'unlisted', 'private')),
      category: text(categories),
    }),
    ...of({ url: httpUrl }, { follow: flag, autoPublish: flag }),
    example: () => ({ url: 'https://calendars.invalid/a.ics' }),
    ...row({ file: { type: 'text/calendar', content: Buffer.from(calendar(calendarEntry())) } }),
  },
  'GET /v1/imports/{id}': { ...required(), ...row({ path: reviewed('') }) },
  'PATCH /v1/imports/{id}': {
    ...required(),
    ...of({ answers: answersToQuestions }),
    example: () => ({ answers: {} }),
    ...row({ path: reviewed('') }),
  },
  'GET /v1/imports/{id}/entries': {
    ...required(),
    ...asking({ state: text(states), ...cursorPage }),
    ...row({ path: reviewed('/entries') }),
  },
  'PATCH /v1/imports/{id}/entries/{n}': {
    ...required(),
    ...of(
      {},
      { ...requiredOfEvents, ...optionalOfEvents, status: oneOf('scheduled', 'cancelled'), skip: flag },
    ),
    example: () => ({ skip: true }),
    ...row({ path: reviewed('/entries/1') }),
  },
  'POST /v1/imports/{id}/publish': {
    ...required(202),
    ...of({}, { doubtful: oneOf('skip', 'publish') }),
    example: () => ({ doubtful: 'skip' }),
    ...row({ path: reviewed('/publish') }),
  },
  'GET /v1/sources': { ...required() },
  'GET /v1/sources/{id}': { ...required(), ...row({ path: followed() }) },
  'PATCH /v1/sources/{id}': {
    ...required(),
    ...of({}, { autoPublish: flag }),
    example: () => ({ autoPublish: true }),
    ...row({ path: followed() }),
  },
  'DELETE /v1/sources/{id}': { ...required(), ...row({ path: followed() }) },
  'POST /v1/sources/{id}/refresh': { ...required(202), ...row({ path: followed('/refresh') }) },
};
