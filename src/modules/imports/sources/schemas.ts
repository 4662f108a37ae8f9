import { type Static, Type } from 'typebox';
import { body, listOf, named, nullable, oneOf, timestamp } from '../../../http/schemas.ts';
import { problemCodes } from '../problem-codes.ts';

const sourceId = Type.String({
  description: 'The id of the source.',
  examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0b1'],
});
export const SourceParams = Type.Object({ id: sourceId });

export const autoPublishText =
  'whether new and changed entries become events without a review. Doubtful ones wait for it in any case.';
export const autoPublish = Type.Boolean({
  description: `W${autoPublishText.slice(1)}`,
  examples: [false],
});

export const Source = named(
  'Source',
  Type.Object({
    id: sourceId,
    url: Type.String({
      description: 'The address, which only its owner reads.',
      examples: ['https://example.org/calendar.ics'],
    }),
    autoPublish,
    lastGoodAt: nullable(timestamp(), {
      description: 'When the calendar was last fetched and read; null before the first time.',
    }),
    problem: nullable(Type.Object({ code: oneOf(problemCodes), detail: Type.String() }), {
      description: 'Why the last fetch failed; null after a good one.',
    }),
    eventsCount: Type.Integer({
      minimum: 0,
      examples: [12],
      description: 'The number of events that came from it.',
    }),
    importId: nullable(Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a1'] }), {
      description: 'The open review of what it changed; null without one.',
    }),
  }),
);
export type Source = Static<typeof Source>;
export const SourceList = listOf(Source);

export const SourceChange = body(
  { autoPublish: Type.Optional(autoPublish) },
  { examples: [{ autoPublish: true }] },
);
