/** Imports of calendars. */
import { randomUUID } from 'node:crypto';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { categories, optionalOfEvents, requiredOfEvents } from './events.ts';
import { cursorPage } from './fields.ts';
import { asking, type Operation, of, type RowContext, required, row, text } from './operation.ts';
import { coordinates, flag, httpUrl, oneOf } from './rules.ts';

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

export const importOperations: Record<string, Operation> = {
  'POST /v1/imports': {
    ...required(202),
    ...asking({
      place: text(coordinates(2)),
      visibility: text(oneOf('public', 'unlisted', 'private')),
      category: text(categories),
    }),
    ...of({ url: httpUrl }),
    example: () => ({ url: 'https://calendars.invalid/a.ics' }),
    ...row({ file: { type: 'text/calendar', content: Buffer.from(calendar(calendarEntry())) } }),
  },
  'GET /v1/imports/{id}': { ...required(), ...row({ path: reviewed('') }) },
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
};
