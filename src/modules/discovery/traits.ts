/**
 * The traits of listed events: what an event has or has not, such as to cost nothing. Each is a filter of lists, maps and
 * calendars. The query parameters, the conditions in SQL, the column and the bitmaps of the discovery index follow from this
 * table.
 */
import { type TBoolean, type TOptional, Type } from 'typebox';
import { join, type Statement, sql } from '#pg';

/** `condition`: on `events e`. `description`: of the query parameter, for `true`. */
type Declared = { condition: Statement; description: string };

const table = {
  isFree: {
    condition: sql`e.price = 0 and e.is_price_known`,
    description: 'only events that are known to cost nothing',
  },
} satisfies Record<string, Declared>;

/** The name of a trait: that of its query parameter. */
export type Trait = keyof typeof table;
export const traits = Object.keys(table) as Trait[];

/** The query parameters. `false` selects all events, as no parameter does. */
export const traitParameters = Object.fromEntries(
  traits.map((trait) => [
    trait,
    Type.Optional(Type.Boolean({ description: `With \`true\`: ${table[trait].description}.` })),
  ]),
) as Record<Trait, TOptional<TBoolean>>;

/** Reads the traits that the events of a list must have. */
export const readTraits = (query: { [T in Trait]?: boolean }): Trait[] =>
  traits.filter((trait) => query[trait] === true);

/** The condition of a trait on `events e`. */
export const hasTrait = (trait: Trait): Statement => sql`(${table[trait].condition})`;

/** In memory, each trait is a bit of a number, in the order of the table. */
const bitOf = (trait: Trait): number => 1 << traits.indexOf(trait);
export const bitsOf = (wanted: Trait[]): number => wanted.reduce((bits, trait) => bits | bitOf(trait), 0);

/** The bits of the traits that a row of `events e` has. */
export const traitBits = join(
  traits.map((trait) => sql`case when ${hasTrait(trait)} then ${bitOf(trait)}::int else 0 end`),
  ' + ',
);
