/** What organizers write to the guests of an event. */
import { expectStatus } from '../support/setup.ts';
import { cursorPage } from './fields.ts';
import {
  asking,
  type Operation,
  of,
  optional,
  privateRow,
  type Row,
  type RowContext,
  required,
  rowsOfOwners,
  rowsOfReaders,
  text,
} from './operation.ts';
import { listOf, oneOf, prose, type Rule, setOf, timestamp } from './rules.ts';

const lists = ['going', 'interested', 'waiting', 'requesting', 'unanswered', 'claimants'];
const anyOf = setOf(...lists);
export const audience: Rule = {
  ...anyOf,
  judge: (value) => (Array.isArray(value) && value.length === 0 ? 'shape' : anyOf.judge(value)),
  good: anyOf.good.slice(1),
  bad: [[], ...anyOf.bad],
};
/** Names with commas between them, which may repeat. */
export const audienceList: Rule = {
  judge: (value) => {
    if (typeof value !== 'string') return 'shape';
    return listOf(oneOf(...lists), 1, lists.length).judge(value.split(','));
  },
  good: ['going', 'waiting,going', lists.join()],
  bad: ['', 'going,', 'unknown', 'GOING', [...lists, 'going'].join()],
};
/** From now to the end of the event. */
export const sendAt: Rule = {
  ...timestamp,
  judge: (value) => (timestamp.judge(value) === 'shape' ? 'shape' : 'open'),
  good: [],
};
export const words = prose(2_000, { min: 1 });
export const hello = () => ({ text: 'Bring slippers!' });

/** An announcement of the organizer, whose earlier ones are too old to count in the limit of a day. */
async function announce({ api, organizer, event }: RowContext): Promise<string> {
  await api.sql`
    update announcements set created_at = created_at - interval '2 days' where author_id = ${organizer.id}`;
  const made = await api.post(`/v1/events/${event}/announcements`, organizer.token, hello());
  return `/v1/announcements/${expectStatus(made, 201).body.id}`;
}

/** An announcement to everybody who goes, the caller included. */
const readable: Row = {
  path: async (context: RowContext) => {
    const { api, event, caller } = context;
    if (caller) await api.post(`/v1/events/${event}/rsvp`, caller.token, { status: 'going' });
    return announce(context);
  },
};
const unreadable: Row = { path: (context: RowContext) => announce(context) };
const rowsOfAnnouncement = {
  rows: {
    // Whom the organizer has blocked reads none of theirs.
    'of a reader': { statuses: [401, 401, 403, 404, 200, 403, 200, 401], ...readable },
    'of others': privateRow(200, unreadable),
  },
};

export const announcementOperations: Record<string, Operation> = {
  'POST /v1/events/{id}/announcements': {
    ...required(201),
    ...of({ text: words }, { audience, sendAt }),
    example: hello,
    ...rowsOfOwners(201),
  },
  'GET /v1/events/{id}/announcements': { ...optional(), ...asking(cursorPage), ...rowsOfReaders },
  'GET /v1/events/{id}/announcements/recipients': {
    ...required(),
    ...asking({ audience: text(audienceList) }),
    ...rowsOfOwners(200),
  },
  'PATCH /v1/announcements/{id}': {
    ...required(),
    ...of({}, { text: words, audience, sendAt }),
    example: hello,
    ...rowsOfAnnouncement,
  },
  'DELETE /v1/announcements/{id}': { ...required(), ...rowsOfAnnouncement },
};
