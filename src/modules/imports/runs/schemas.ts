import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../../http/cursors.ts';
import { body, named, nullable, oneOf, ref, timestamp } from '../../../http/schemas.ts';
import { EnteredEvent, EventChange, NewEvent } from '../../events/schemas.ts';
import { entryStates } from '../compare-entries.ts';
import { doubts } from '../entry-content.ts';
import { problemCodes } from '../problem-codes.ts';
import { autoPublish, autoPublishText } from '../sources/schemas.ts';
import { type Answers, dateOrders } from '../tables/date-order.ts';

const importId = Type.String({
  description: 'The id of the import.',
  examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a1'],
});
export const ImportParams = Type.Object({ id: importId });
export const EntryParams = Type.Object({
  id: importId,
  n: Type.String({ description: 'The number of the entry.', examples: ['1'] }),
});

export const NewImportQuery = Type.Object({
  place: Type.Optional(
    Type.String({
      format: 'lat-lng',
      examples: ['57.7089,11.9746'],
      description: 'Latitude and longitude, separated by a comma: where entries are that name no place.',
    }),
  ),
  visibility: Type.Optional(NewEvent.properties.visibility),
  category: Type.Optional(NewEvent.properties.category),
});

export const NewImport = body(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The address of a calendar: https, http or webcal, with the port 80 or 443.',
      examples: ['https://example.org/calendar.ics'],
    }),
    follow: Type.Optional(
      Type.Boolean({
        description: 'With `true`, the address becomes a source, which the server fetches from now on.',
      }),
    ),
    autoPublish: Type.Optional({ ...autoPublish, description: `With \`follow\`: ${autoPublishText}` }),
  },
  { examples: [{ url: 'https://example.org/calendar.ics' }] },
);

export type NewImport = Static<typeof NewImport>;

export const importStatuses = ['reading', 'review', 'publishing', 'done', 'failed'] as const;
export type ImportStatus = (typeof importStatuses)[number];

const dateOrder = oneOf(dateOrders, { examples: ['dayFirst'] });

const count = (description: string) => Type.Integer({ minimum: 0, examples: [12], description });

export const Import = named(
  'Import',
  Type.Object({
    id: importId,
    status: oneOf(importStatuses, {
      description:
        '`reading`: a server reads the file. `review`: nothing is an event yet. `publishing`: events are made. `done`. `failed`: see `problem`.',
    }),
    counts: Type.Object({
      new: count('Entries that become events.'),
      changed: count('Entries that change the events of an earlier import.'),
      same: count('Entries that change nothing.'),
      doubtful: count('Entries that become events if `doubtful` of the publication is `publish`.'),
      refused: count('Entries that cannot become events.'),
      waiting: count(
        'Entries that wait for the next day, because a person can import 1,000 events a day (UTC).',
      ),
    }),
    questions: Type.Array(
      Type.Object({
        id: Type.String({ examples: ['1'] }),
        column: Type.String({ examples: ['Start Date'] }),
        kind: oneOf(['dateOrder']),
        options: Type.Array(dateOrder),
        example: Type.String({ examples: ['03/04/2027'], description: 'A value of the column.' }),
      }),
      {
        description:
          'What has to be answered, with `PATCH /v1/imports/:id`, before the file can be read: an import with a question has no entries. ' +
          '`dateOrder`: whether the day or the month stands first in the dates of the column.',
      },
    ),
    problem: nullable(Type.Object({ code: oneOf(problemCodes), detail: Type.String() }), {
      description: 'Why an import failed; null for others.',
    }),
    progress: Type.Number({
      minimum: 0,
      maximum: 1,
      examples: [0.5],
      description: 'How much of the publication is done.',
    }),
    createdAt: timestamp(),
  }),
);
export type Import = Static<typeof Import>;

const localDates = (description: string) =>
  Type.Array(Type.String({ examples: ['2026-12-24T18:00'] }), { description });
const seriesOfEntry = Type.Object({
  rrule: Type.String({ examples: ['FREQ=WEEKLY;BYDAY=TU'], description: 'As that of a series.' }),
  extraDates: localDates('Further dates, by the clocks of the zone of the event; of all-day events, days.'),
  excludedDates: localDates('Dates that are left out.'),
  changedDates: Type.Array(
    Type.Object({
      date: Type.String({ examples: ['2026-12-24T18:00'] }),
      event: Type.Partial(Type.Object(EnteredEvent.properties), { description: 'The fields that differ.' }),
    }),
    { description: 'Dates that differ from the others.' },
  ),
  ruleText: Type.String({
    examples: ['Every Tuesday'],
    description: 'The rule in words, in the language of `Accept-Language`.',
  }),
  next: Type.Array(timestamp(), { description: 'When the next occurrences start, at most five.' }),
});
export const ImportChange = body(
  {
    answers: Type.Unsafe<Answers>({
      type: 'object',
      additionalProperties: dateOrder,
      description: 'An option for each `id` of a question.',
      examples: [{ 2: 'dayFirst' }],
    }),
  },
  { examples: [{ answers: { 2: 'dayFirst' } }] },
);

export const ImportEntry = named(
  'ImportEntry',
  Type.Object({
    n: Type.Integer({ minimum: 1, examples: [1], description: 'The number of the entry.' }),
    state: oneOf(entryStates, {
      description:
        '`new`; `changed`: changes the event of an earlier import; `same`: changes nothing; `doubtful`: new, with `doubts`; `refused`: ' +
        'cannot become an event; `skipped`: by the person, or because its event was deleted here.',
    }),
    event: nullable(ref(EnteredEvent), {
      description: 'What would be stored; null for an entry that becomes nothing.',
    }),
    series: nullable(seriesOfEntry, {
      description: 'How the event repeats: its `startAt` is the first date. Null for a single event.',
    }),
    eventId: nullable(Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }), {
      description:
        'The event that the entry became or changed, of a series the next occurrence; null before the publication.',
    }),
    doubts: Type.Array(oneOf(doubts), {
      description:
        '`place`: nothing says where it is; `country`: there are towns of this name in several countries; `zone`: its time zone is ' +
        'unknown, or not that of its place; `duplicate`: see `duplicates`; `length`: its end was mended; `date`: its date is uncertain.',
    }),
    duplicates: Type.Array(Type.String(), {
      description:
        'The ids of events that the entry may be: those of the same day within a kilometre with a similar title, and that with its UID.',
    }),
    line: Type.Integer({ examples: [12], description: 'The line of the file at which the entry begins.' }),
    reason: nullable(Type.String(), {
      description: 'Why the entry is refused or skipped, or what was mended; or null.',
    }),
  }),
);
export type ImportEntry = Static<typeof ImportEntry>;
export const EntryPage = cursorPage(ImportEntry);
export const EntryQuery = Type.Object({
  state: Type.Optional(oneOf(entryStates, { description: 'Only entries in this state.' })),
  ...cursorQuery,
});

const { message: _message, inviteGuests: _inviteGuests, ...fields } = EventChange.properties;
export const EntryChange = body(
  {
    ...fields,
    skip: Type.Optional(
      Type.Boolean({
        description:
          '`true`: the entry is left out. `false`: it is published, also if it is doubtful or its event was deleted here.',
      }),
    ),
  },
  { examples: [{ skip: true }] },
);
export type EntryChange = Static<typeof EntryChange>;

export const Publication = body(
  {
    doubtful: Type.Optional(
      oneOf(['skip', 'publish'], { description: 'What happens to doubtful entries. Default: `skip`.' }),
    ),
  },
  { examples: [{ doubtful: 'skip' }] },
);
