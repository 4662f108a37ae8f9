/** What the form of an event shows after a request, and the steps that creating and editing share. */
import { type Client, listCategories, listEvents, type ProblemError } from '@potluck/client';
import { type ActionFailure, fail, type RequestEvent } from '@sveltejs/kit';
import { categoryName } from '#lib/discovery/category-name.ts';
import { readSearch } from '#lib/discovery/search.ts';
import { viewOf } from '#lib/discovery/server/map.ts';
import { commonTown } from '#lib/discovery/server/short-address.ts';
import type { EventFormState, EventOptions, EventValues, ItemValues } from '#lib/event/form/event-values.ts';
import { m } from '#lib/messages/index.js';
import { parseChosen } from '#lib/places/parse-chosen.ts';
import type { ChosenPlace } from '#lib/places/places.ts';
import { refusalOf } from '#lib/server/form-action.ts';
import { invalidForm, load, toFormProblem } from '#lib/server/problems.ts';
import { type PageFields, readForm } from '#lib/server/read-fields.ts';
import { readValues } from './event-form.ts';
import type { FieldErrors } from './event-times.ts';
import { findPlace, type PlaceResult } from './find-place.ts';
import { currencyOptions } from './names.ts';

export async function loadOptions(
  { locals, platform }: Pick<RequestEvent, 'locals' | 'platform'>,
  currency: string,
): Promise<EventOptions> {
  const client = locals.api;
  const mapTiles = platform?.mapTiles ?? null;
  const [{ data }, home] = await Promise.all([
    load(listCategories({ client })),
    loadHome(client, mapTiles !== null),
  ]);
  if (mapTiles?.startsWith('https://')) locals.foreignSource = mapTiles;
  return {
    categories: data.map((category) => ({
      value: category.slug,
      label: `${category.emoji} ${categoryName(category.slug, category.name)}`,
    })),
    currencies: currencyOptions(currency),
    mapTiles,
    streetSearch: platform?.streetSearch ?? 'none',
    home,
  };
}

const homeSample = 50;

/** Where most events of this server are, and the town that they name. */
async function loadHome(client: Client, hasStreets: boolean): Promise<EventOptions['home']> {
  const [{ box }, { data }] = await Promise.all([
    viewOf(client, readSearch(new URLSearchParams()), hasStreets),
    load(listEvents({ client, query: { limit: homeSample } })),
  ]);
  return { box, town: commonTown(data.map(({ location }) => location)) };
}

/** The action of a form of an event. It is refused if the visitor is signed out, or if texts are too long. */
export const eventAction =
  <Path extends Record<string, string>, Result>(
    work: (values: EventValues, event: RequestEvent<Path>, form: PageFields) => Result,
  ) =>
  async (event: RequestEvent<Path>): Promise<Awaited<Result> | ActionFailure<EventFormState>> => {
    const form = await readForm(event);
    const values = readValues(form);
    const refusal = refusalOf('people', event.locals, form);
    return refusal
      ? fail(refusal.status, { values, problem: refusal.problem })
      : await work(values, event, form);
  };

/** Refuses a form whose fields have errors. */
export const refuse = (
  values: EventValues,
  fields: FieldErrors,
  choices: ChosenPlace[] = [],
): ActionFailure<EventFormState> => fail(400, { values, choices, problem: invalidForm(fields) });

/** Refuses a form that the API has refused. A rule about one field is explained at that field. */
export function refuseFor(cause: ProblemError, values: EventValues): ActionFailure<EventFormState> {
  const problem = toFormProblem(cause);
  if (cause.code !== 'invalid_request') {
    for (const path of Object.keys(problem.fields)) problem.fields[path] = problem.message;
  }
  return fail(cause.status, { values, problem });
}

/** The values with the place that was found. A spot belongs to the place in which it was set. */
export function withPlace(values: EventValues, result: PlaceResult): EventValues {
  if (!result.place) return { ...values, place: '' };
  const before = parseChosen(values.place);
  const isOther = before !== null && before.label !== result.place.label;
  return {
    ...values,
    address: result.address,
    place: JSON.stringify(result.place),
    ...(isOther && { lat: '', lng: '' }),
  };
}

/** Answers the button "Search" of the place, which works without scripts. */
export async function searchPlace(
  client: Client,
  values: EventValues,
): Promise<EventFormState | ActionFailure<EventFormState>> {
  const result = await findPlace(client, { ...values, place: '' }, true);
  if (result.place) return { values: withPlace(values, result) };
  if (result.choices.length === 0) return refuse(withPlace(values, result), { location: result.error });
  return { values: withPlace(values, result), choices: result.choices };
}

/** Adds, removes or moves a row of the item list: `add`, `remove:2`, `up:2`, `down:2`. */
export function changeRows(items: ItemValues[], command: string): ItemValues[] {
  const [action, position] = command.split(':');
  const at = Number(position);
  if (action === 'add') return [...items, { title: '', kind: 'bring', quantity: '1', emoji: '' }];
  const item = items[at];
  if (!item) return items;
  const others = items.toSpliced(at, 1);
  if (action === 'remove') return others;
  return others.toSpliced(Math.max(0, action === 'up' ? at - 1 : at + 1), 0, item);
}

export const alreadyCreated = (values: EventValues): ActionFailure<EventFormState> =>
  fail(409, {
    values,
    problem: { code: 'idempotency_key_reused', message: m.organizer_already_created(), fields: {} },
  });
