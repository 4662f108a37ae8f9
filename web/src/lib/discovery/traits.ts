/**
 * The filters of a search by what events have or have not. The address of a search, its chips, the form, and what a search
 * without results suggests follow from this table, which has a row for each such filter of the API.
 */
import type { listEvents } from '@potluck/client';
import { m } from '#lib/messages/index.js';

type Filters = NonNullable<Parameters<typeof listEvents>[0]['query']>;
/** The name of a filter of the API that is true or false. */
export type Trait = {
  [Name in keyof Filters]-?: NonNullable<Filters[Name]> extends boolean ? Name : never;
}[keyof Filters];

/** `name`: on a chip. `only`: beside the box of the form. `others`: what shows all events again. */
type Row = { parameter: string; name: () => string; only: () => string; others: () => string };

const table: Record<Trait, Row> = {
  isFree: {
    parameter: 'free',
    name: m.free,
    only: m.discovery_free_only,
    others: m.discovery_try_any_price,
  },
  online: {
    parameter: 'online',
    name: m.online,
    only: m.discovery_online_only,
    others: m.discovery_try_offline,
  },
};

export const traits = Object.entries(table).map(([trait, row]) => ({ trait: trait as Trait, ...row }));

export const withoutTrait = (some: Trait[], one: Trait): Trait[] => some.filter((trait) => trait !== one);
