/** A search for events. All of it is in the address of the page. */
import type { Fields } from '#lib/forms/texts.ts';
import { type Box, formatBox, type Place, parseBox } from '#lib/map/mercator.ts';
import { type Trait, traits } from './traits.ts';

/** The categories of the API (GET /v1/categories). */
export const categories = [
  'music',
  'food',
  'sports',
  'outdoors',
  'arts',
  'film',
  'games',
  'family',
  'learning',
  'tech',
  'community',
  'party',
  'wellbeing',
  'other',
] as const;
export type CategorySlug = (typeof categories)[number];

/** Periods from today on; `range`: the days from `from` to `to`. */
export const periods = ['today', 'weekend', 'week', 'range'] as const;
export type Period = (typeof periods)[number];

/** In km. */
export const radii = [5, 10, 25, 50, 100, 250] as const;
export const defaultRadius = 50;

export type Search = {
  q: string;
  category: CategorySlug | null;
  when: Period | null;
  /** Days such as `2026-12-24`; empty without a bound. */
  from: string;
  to: string;
  /** The time zone of the visitor, in which days begin. */
  tz: string;
  /** Only events that have all of these. */
  traits: Trait[];
  /** Only events that began before the period, and before today if there is none. */
  isRunning: boolean;
  /** The name of a place. Without `near`, it has yet to be found. */
  place: string;
  near: Place | null;
  radius: number;
  /** `distance` only for the place of the visitor: one without a name. */
  order: 'start' | 'relevance' | 'distance';
  view: 'list' | 'map';
  /** The part of the map that the visitor chose. */
  box: Box | null;
  /** The zoom of a map whose world is 256 pixels wide. */
  zoom: number | null;
  page: number;
};

const orders = ['start', 'relevance', 'distance'] as const;
/** The API lists the nearest 10,000 events; a page has 24. */
export const lastPageByDistance = 416;

const oneOf = <T extends string>(values: readonly T[], value: string): T | null =>
  values.find((each) => each === value) ?? null;

const isDay = (text: string): boolean => /^(?:19|[2-9]\d)\d\d-\d\d-\d\d$/.test(text) && isInCalendar(text);

/** V8 reads 30 February as a day of March. */
function isInCalendar(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** Reads a search from an address or a form. What is not valid has its default. */
export function readSearch(params: Pick<Fields, 'get' | 'has'>): Search {
  const text = (name: string, maxLength: number) => `${params.get(name) ?? ''}`.trim().slice(0, maxLength);
  const day = (name: string) => (isDay(text(name, 10)) ? text(name, 10) : '');
  const integer = (name: string, min: number, max: number) => {
    const value = Number(params.get(name) || Number.NaN);
    return Number.isInteger(value) && value >= min && value <= max ? value : null;
  };
  const place = text('place', 100);
  // A form without scripts sends the place that `near` belongs to: another name has yet to be found.
  const isOtherPlace = params.has('named') && text('named', 100) !== place;
  const near = isOtherPlace ? null : parseNear(text('near', 100));
  const page = integer('page', 1, 10_000) ?? 1;
  const isByDistance = near !== null && place === '' && page <= lastPageByDistance;
  const order = oneOf(orders, text('order', 100)) ?? 'start';
  const view = params.get('view') === 'map' ? 'map' : 'list';
  return {
    q: text('q', 200),
    category: oneOf(categories, text('category', 100)),
    when: oneOf(periods, text('when', 100)),
    from: day('from'),
    to: day('to'),
    tz: text('tz', 100),
    traits: traits.flatMap(({ trait, parameter }) => (params.get(parameter) === '1' ? [trait] : [])),
    isRunning: params.get('running') === '1',
    place,
    near,
    radius: radii.find((each) => `${each}` === params.get('radius')) ?? defaultRadius,
    order: order === 'distance' && !isByDistance ? 'start' : order,
    view,
    box: view === 'map' && !isOtherPlace ? parseBox(text('bbox', 200)) : null,
    zoom: integer('zoom', 0, 22),
    page,
  };
}

/** Whether the last day is before the first one. */
export const isReversed = ({ when, from, to }: Search): boolean =>
  when === 'range' && from !== '' && to !== '' && to < from;

export function parseNear(text: string): Place | null {
  const [lat = Number.NaN, lng = Number.NaN, ...rest] = text.split(',').map((part) => Number(part || 'none'));
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && rest.length === 0 ? { lat, lng } : null;
}

/** Coordinates for an address: exact to about 100 m, which is enough for a search. */
export const formatNear = ({ lat, lng }: Place): string =>
  `${Number(lat.toFixed(3))},${Number(lng.toFixed(3))}`;

/** The parameters of a search that differ from their defaults. */
export function paramsOf(search: Search): URLSearchParams {
  const { when, near, view, box } = search;
  const values = {
    q: search.q,
    category: search.category,
    when,
    from: when === 'range' && search.from,
    to: when === 'range' && search.to,
    tz: when && search.tz,
    ...Object.fromEntries(
      traits.map(({ trait, parameter }) => [parameter, search.traits.includes(trait) && '1']),
    ),
    running: search.isRunning && '1',
    place: search.place,
    near: near && formatNear(near),
    radius: search.radius !== defaultRadius && search.radius,
    order: (search.order !== 'distance' || near) && search.order !== 'start' && search.order,
    view: view === 'map' && view,
    bbox: view === 'map' && box && formatBox(box),
    zoom: view === 'map' && box && search.zoom,
    page: search.page > 1 && search.page,
  };
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, `${value}`]] : []));
  return new URLSearchParams(given);
}

/** The address of a search with some changes, from the first page on. */
export function hrefOf(search: Search, changes: Partial<Search> = {}, path = '/'): string {
  const params = paramsOf({ ...search, page: 1, ...changes })
    .toString()
    .replaceAll('%2C', ',');
  return params === '' ? path : `${path}?${params}`;
}

/** The view remains, and a changed search begins on its first page. */
export const withoutFilters = {
  q: '',
  category: null,
  when: null,
  from: '',
  to: '',
  tz: '',
  traits: [],
  isRunning: false,
  place: '',
  near: null,
  radius: defaultRadius,
  order: 'start',
  box: null,
} satisfies Omit<Search, 'view' | 'zoom' | 'page'>;
