/** Items of an event, and claims. */
import { going } from './attendance.ts';
import { cursorPage } from './fields.ts';
import {
  asking,
  type Operation,
  of,
  optional,
  privateRow,
  type RowContext,
  required,
  rowsOfOwners,
  rowsOfReaders,
  text,
  withToken,
} from './operation.ts';
import {
  emoji,
  httpUrl,
  integer,
  line,
  listOf,
  type ObjectRule,
  object,
  oneOf,
  orNull,
  prose,
  quantity,
} from './rules.ts';

const claimed = {
  before: async ({ api, caller, event, item }: RowContext) => {
    if (!caller) return;
    await api.post(`/v1/events/${event}/rsvp`, caller.token, { status: 'going' });
    await api.post(`/v1/items/${item}/claim`, caller.token, { quantity: 1 });
  },
};
const rowsOfClaim = {
  rows: {
    'without one': { statuses: withToken(404) },
    'with one': claimed,
    private: privateRow(200, claimed),
  },
};
const optionalOfItems = {
  description: orNull(prose(1_000)),
  emoji: orNull(emoji),
  link: orNull(httpUrl),
  imageUrl: orNull(httpUrl),
};
const [title, quantityNeeded] = [line(1, 120), integer(1, 10_000)];
export const newItem: ObjectRule = {
  required: { title, kind: oneOf('bring', 'wish'), quantityNeeded },
  optional: optionalOfItems,
};
const plates = () => ({ title: 'Plates', kind: 'bring', quantityNeeded: 2 });
const note = orNull(line(1, 140));
const oneOfIt = { example: () => ({ quantity: 1, note: 'Lasagne' }) };

export const itemOperations: Record<string, Operation> = {
  'GET /v1/events/{id}/items': {
    ...optional(),
    ...asking({ kind: text(oneOf('bring', 'wish')) }),
    ...rowsOfReaders,
  },
  'POST /v1/events/{id}/items': {
    ...required(201),
    body: newItem,
    example: plates,
    ...rowsOfOwners(201),
  },
  'POST /v1/events/{id}/items/batch': {
    ...required(201),
    ...of({ items: listOf(object(newItem), 1, 100) }),
    example: () => ({ items: [plates()] }),
    ...rowsOfOwners(201),
  },
  'PATCH /v1/items/{id}': {
    ...required(),
    ...of({}, { title, quantityNeeded, ...optionalOfItems }),
    example: () => ({ title: 'Paper plates' }),
    ...rowsOfOwners(200),
  },
  'DELETE /v1/items/{id}': { ...required(), ...rowsOfOwners(200) },

  'POST /v1/items/{id}/claim': {
    ...required(201),
    ...of({ quantity }, { note }),
    ...oneOfIt,
    rows: {
      'without RSVP': { statuses: withToken(403) },
      going,
      private: privateRow(201, going),
    },
  },
  'PATCH /v1/items/{id}/claim': {
    ...required(),
    ...of({}, { quantity, note }),
    example: () => ({ quantity: 1 }),
    ...rowsOfClaim,
  },
  'DELETE /v1/items/{id}/claim': { ...required(), ...rowsOfClaim },
  'GET /v1/items/{id}/claims': { ...required(), ...asking(cursorPage), ...rowsOfOwners(200) },
  'GET /v1/events/{id}/claims': { ...required(), ...asking(cursorPage), ...rowsOfOwners(200) },
};
