import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../../http/cursors.ts';
import { named, oneOf, timestamp } from '../../../http/schemas.ts';
import { Event } from '../../events/schemas.ts';
import { Claim, kinds } from '../schemas.ts';

export const OwnClaimsQuery = Type.Object(cursorQuery);

export const OwnClaim = named(
  'OwnClaim',
  Type.Object({
    ...Claim.properties,
    item: Type.Object({
      title: Type.String({ examples: ['Sourdough bread'] }),
      kind: oneOf(kinds),
      emoji: Type.String({ examples: ['🍞'] }),
    }),
    event: Type.Object({
      id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
      title: Type.String({ examples: ['Harbour potluck'] }),
      startAt: timestamp(),
      endAt: timestamp(),
      allDay: Type.Boolean({ examples: [false] }),
      timezone: Type.String({
        description: 'The IANA time zone in which the times are meant.',
        examples: ['Europe/Oslo'],
      }),
      status: Event.properties.status,
    }),
  }),
);
export type OwnClaim = Static<typeof OwnClaim>;
export const OwnClaimPage = cursorPage(OwnClaim);
