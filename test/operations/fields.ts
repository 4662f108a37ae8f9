/** Rules of parameters that several operations have, and paths of several rows. */
import { traitNames } from './event-traits.ts';
import { numeric, type QueryRule, type RowContext, text } from './operation.ts';
import {
  coordinates,
  flag,
  integer,
  number,
  oneOf,
  opaque,
  prose,
  type Rule,
  timestampOrDay,
} from './rules.ts';

/** Specification 8: at most 50. */
export const limit = numeric(integer(1, 50));
export const cursorPage = { cursor: text(opaque), limit };
export const page = { page: numeric(integer(1, 2_147_483_647)), limit };
/** Of lists: what they show once. */
export const collapse = text(oneOf('series'));
export const yesOrNo: QueryRule = { type: 'boolean', rule: flag };
export const reportReason = oneOf(
  ...['spam', 'scam', 'harassment', 'hate', 'violence', 'sexual', 'privacy', 'other'],
);
export const language = oneOf('en', 'de', 'sv', 'ar');
const anyText = (max: number): QueryRule => text(prose(max));
export const box = coordinates(4);

/** Above half of the circumference of the earth, a larger radius changes nothing. */
const radius: Rule = {
  judge: (value) => {
    if (typeof value !== 'number' || value <= 0) return 'shape';
    return value <= 20_000 ? 'fits' : 'open';
  },
  good: [0.001, 1, 50, 20_000],
  bad: [0, -1],
};
export const eventFilters = {
  lat: numeric(number(-90, 90)),
  lng: numeric(number(-180, 180)),
  radius: numeric(radius),
  category: anyText(100),
  dateFrom: text(timestampOrDay),
  dateTo: text(timestampOrDay),
  startFrom: text(timestampOrDay),
  startTo: text(timestampOrDay),
  q: anyText(200),
  ...Object.fromEntries(traitNames.map((name) => [name, yesOrNo])),
} satisfies Record<string, QueryRule>;

export const ofOrganizer = (tail: string) => ({
  path: ({ organizer }: RowContext) => `/v1/users/${organizer.id}${tail}`,
});
