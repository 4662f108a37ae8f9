import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../../http/cursors.ts';
import { named, oneOf, ref, timestamp } from '../../../http/schemas.ts';
import { rsvpStatuses } from '../../events/repo.ts';
import { FoundUser } from '../../people/schemas.ts';

export const Guest = named(
  'Guest',
  Type.Object({
    user: ref(FoundUser),
    status: oneOf(rsvpStatuses),
    extraGuests: Type.Integer({ examples: [2], description: 'People whom the guest brings.' }),
    isHidden: Type.Boolean({
      examples: [false],
      description: 'Whether only the organizer and admins see this guest; false in the lists of all others.',
    }),
    isAdded: Type.Boolean({
      examples: [false],
      description: 'Whether the organizer added this guest, who has no account and answers nothing.',
    }),
    createdAt: timestamp({ description: 'When the RSVP was made; later changes of it do not count.' }),
  }),
);
export type Guest = Static<typeof Guest>;

export const GuestListQuery = Type.Object({
  status: Type.Optional(oneOf(rsvpStatuses, { description: 'Default: both.' })),
  ...cursorQuery,
});

export const GuestList = cursorPage(Guest);
