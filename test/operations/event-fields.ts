/**
 * The fields of an event that a request may leave out, written by hand from the specification. The table of operations,
 * the matrix of views and test/events/event-fields.test.ts read them here.
 */
import {
  currency,
  flag,
  httpsUrlOf,
  httpUrl,
  integer,
  number,
  oneOf,
  orNull,
  prose,
  type Rule,
  setOf,
  timestamp,
  timeZone,
} from './rules.ts';

type OptionalField = {
  rule: Rule;
  /** The value in the record of a new event; undefined if it depends on other fields. */
  initial?: unknown;
  inLists?: true;
  /** The value in a duplicate, if it is not that of the original. */
  inCopy?: unknown;
  /** Whether a calendar entry shows the text in its description. */
  inCalendar?: true;
};

const audience = oneOf('organizer', 'guests', 'everyone');
const templates = oneOf(
  'general',
  'potluck',
  'birthday',
  'wedding',
  'picnic',
  'concert',
  'meetup',
  'conference',
);
const themes = oneOf(
  ...['gingham', 'tiles', 'waves', 'confetti', 'leaves', 'moon'],
  ...['sun', 'citrus', 'flowers', 'rainbow', 'bunting', 'quilt'],
);
const focuses = oneOf(
  ...['left-top', 'top', 'right-top', 'left', 'center', 'right'],
  ...['left-bottom', 'bottom', 'right-bottom'],
);

/** Before the end of all events of tests. */
const deadline: Rule = { ...timestamp, good: ['2020-12-24T18:00:00.000Z', '1900-01-01T00:00:00.000Z'] };

/** A change to the others needs a `location`. */
const kinds = oneOf('place', 'later', 'online');
const locationKind: Rule = {
  ...kinds,
  judge: (value) => (kinds.judge(value) === 'fits' && value !== 'place' ? 'open' : kinds.judge(value)),
  good: ['place'],
};

export const optionalFields: Record<string, OptionalField> = {
  description: { rule: prose(10_000), initial: '', inLists: true, inCalendar: true },
  coverUrl: { rule: orNull(httpUrl), inLists: true },
  coverTheme: { rule: orNull(themes), initial: null },
  coverFocus: { rule: focuses, initial: 'center', inLists: true },
  timezone: { rule: timeZone, inLists: true },
  allDay: { rule: flag, initial: false, inLists: true },
  locationKind: { rule: locationKind, initial: 'place', inLists: true },
  onlineUrl: { rule: orNull(httpsUrlOf(httpUrl)), initial: null },
  addressVisibility: { rule: oneOf('everyone', 'going'), initial: 'everyone' },
  price: { rule: number(0, 1_000_000_000, { decimals: 4 }), initial: 0, inLists: true },
  isPriceKnown: { rule: flag, initial: false, inLists: true },
  currency: { rule: currency, initial: 'EUR', inLists: true },
  capacity: { rule: integer(0, 1_000_000), initial: 0, inLists: true },
  visibility: {
    rule: oneOf('public', 'unlisted', 'private'),
    initial: 'public',
    inLists: true,
    inCopy: 'private',
  },
  template: { rule: templates, initial: { slug: 'general', name: 'General' } },
  enabledModules: {
    rule: setOf('bringList', 'wishList', 'booking', 'guestRsvp', 'comments'),
    initial: ['bringList', 'wishList', 'booking', 'guestRsvp', 'comments'],
  },
  guestListVisibility: { rule: audience, initial: 'organizer' },
  claimantVisibility: { rule: audience, initial: 'organizer' },
  commentVisibility: { rule: oneOf('guests', 'everyone'), initial: 'guests' },
  rsvpUntil: { rule: orNull(deadline), initial: null, inCopy: null },
  rsvpApproval: { rule: oneOf('none', 'organizer'), initial: 'none' },
};

/** The values in the record of a new event, of the fields for which `isIncluded` returns true. */
export const initialValues = (isIncluded: (field: OptionalField) => boolean = () => true) =>
  Object.fromEntries(
    Object.entries(optionalFields)
      .filter(([, field]) => field.initial !== undefined && isIncluded(field))
      .map(([name, { initial }]) => [name, initial]),
  );
