/**
 * The names of towns on maps. The gazetteer has one name for each, such as "Gothenburg", and its other names without a
 * language: a map that is shown with addresses of "Göteborg" has that name.
 */
import type { ExpressionSpecification } from 'maplibre-gl';
import { normalizeName } from '#lib/language/normalize-name.ts';

/** A town of the base map. `other`: its other names, normalized, each between two bars. */
export type Town = { name: string; other?: string };

const barred = (name: string): string => `|${normalizeName(name)}|`;

export const joinNames = (names: string[]): string =>
  names.length === 0 ? '' : `|${[...new Set(names.map(normalizeName))].join('|')}|`;

export const isNamed = ({ name, other = '' }: Town, wanted: string): boolean =>
  wanted !== '' && (name === wanted || other.includes(barred(wanted)));

/** @param local the names of towns in the addresses beside the map */
export const localName = (town: Town, local: string[]): string =>
  local.find((name) => isNamed(town, name)) ?? town.name;

/** The same as an expression of MapLibre, for the name that a map shows. */
export const localNameIn = (local: string[]): ExpressionSpecification =>
  (local.length === 0
    ? ['get', 'name']
    : [
        'case',
        ...local.flatMap((name) => [['in', barred(name), ['coalesce', ['get', 'other'], '']], name]),
        ['get', 'name'],
      ]) as ExpressionSpecification;
