/**
 * The traits of listed events: what an event has or has not, such as to cost nothing. Each is a filter of lists, maps and
 * calendars. The query parameters, the conditions in SQL, the column and the bitmaps of the discovery index follow from this
 * table.
 */
import { type TBoolean, type TOptional, Type } from 'typebox';
import { join, type Statement, sql } from '#pg';

/** `condition`: on `events e`. `description`: of the query parameter, for `true`; traits without one have no parameter. */
type Declared = { condition: Statement; description?: string };

const isOnline = sql`e.location_kind = 'online' or e.online_url is not null
  or e.exact_place ->> 'onlineUrl' is not null`;

const table = {
  isFree: {
    condition: sql`e.price = 0 and e.is_price_known`,
    description: 'only events that are known to cost nothing',
  },
  online: {
    condition: isOnline,
    description: 'only events that take place online, or online too. With `false`: only the others',
  },
  /** Selected by `online=false`. */
  offline: { condition: sql`not (${isOnline})` },
  /** Selected by a box. */
  onMap: { condition: sql`e.location_kind <> 'online'` },
} satisfies Record<string, Declared>;

/** The name of a trait. */
export type Trait = keyof typeof table;
export const traits = Object.keys(table) as Trait[];

type Parameter = { [T in Trait]: (typeof table)[T] extends { description: string } ? T : never }[Trait];
const isParameter = (trait: Trait): trait is Parameter => 'description' in table[trait];

/** The query parameters. `false` selects all events, as no parameter does, unless the description says otherwise. */
export const traitParameters = Object.fromEntries(
  traits
    .filter(isParameter)
    .map((trait) => [
      trait,
      Type.Optional(Type.Boolean({ description: `With \`true\`: ${table[trait].description}.` })),
    ]),
) as Record<Parameter, TOptional<TBoolean>>;

/** Reads the traits that the events of a list must have. */
export const readTraits = (query: { [T in Parameter]?: boolean } & { bbox?: string }): Trait[] => [
  ...traits.filter((trait) => isParameter(trait) && query[trait] === true),
  ...(query.online === false ? (['offline'] as const) : []),
  ...(query.bbox === undefined ? [] : (['onMap'] as const)),
];

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
