import { Type } from 'typebox';

/** What an RSVP has beside its status. */
export const rsvpFields = {
  extraGuests: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description:
        'People whom the caller brings. If left out, it does not change; 0 for a new RSVP. They count in ' +
        '`partyCount` while the status is `going`.',
      examples: [2],
    }),
  ),
  isHidden: Type.Optional(
    Type.Boolean({
      description:
        'Whether the RSVP is hidden from other people: from the guest list, from their feeds and from the ' +
        'claims of the items. The organizer and admins still see it. If left out, it does not change; false ' +
        'for a new RSVP.',
      examples: [false],
    }),
  ),
};
