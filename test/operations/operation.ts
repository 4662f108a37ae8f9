/**
 * One operation of the API, as tests know it: written by hand from the specification, without a schema or a function
 * of the server, because tests compare the server with it.
 */
import type { Person } from '../support/factories.ts';
import type { Api } from '../support/setup.ts';
import type { ObjectRule, Rule } from './rules.ts';

export type QueryRule = { type: 'text' | 'number' | 'boolean'; rule: Rule; isRequired?: true };

export type Operation = {
  /** Whether a request may or must have a token, or the operation reads none. */
  access: 'public' | 'optional' | 'required';
  /** The status of success. */
  status: number;
  body?: ObjectRule;
  query?: Record<string, QueryRule>;
  /** A body that the server accepts, if the ids and codes in it exist. */
  example?: () => Record<string, unknown>;
  /** The rows of the access matrix, by the state that they test. Default: one, with the usual statuses. */
  rows?: Record<string, Row>;
};

export type RowContext = {
  api: Api;
  organizer: Person;
  event: string;
  item: string;
  caller: Person | null;
  sessionOf: (person: Person) => Promise<string>;
};

/** A row of the access matrix. */
export type Row = {
  /** One status for each role (request-as.ts). Default: what follows from access and status. */
  statuses?: number[];
  /** The statuses of the two kinds of requests with a cookie, if they do not follow from `statuses`. */
  browserStatuses?: [sameOrigin: number, otherSite: number];
  headers?: Record<string, string>;
  /** Default: the path of the route, with the id of the context's event or item. */
  path?: (context: RowContext) => string | Promise<string>;
  /** Default: the example. */
  body?: (context: RowContext) => unknown;
  /** A file as the body, instead of JSON. */
  file?: { type: string; content: Buffer<ArrayBuffer> };
  /** Fields of the event. */
  event?: Record<string, unknown>;
  /** Creates the state that the row tests. */
  before?: (context: RowContext) => Promise<unknown>;
  /** The call ends a session or an account, so it uses people of its own. */
  needsFreshPeople?: true;
};

export const required = (status = 200) => ({ access: 'required' as const, status });
export const optional = (status = 200) => ({ access: 'optional' as const, status });
export const open = (status = 200) => ({ access: 'public' as const, status });

export const of = (fields: Record<string, Rule>, more: Record<string, Rule> = {}): { body: ObjectRule } => ({
  body: { required: fields, optional: more },
});
export const asking = (query: Record<string, QueryRule>) => ({ query });
export const text = (rule: Rule): QueryRule => ({ type: 'text', rule });
export const needed = (rule: Rule): QueryRule => ({ type: 'text', rule, isRequired: true });
export const numeric = (rule: Rule): QueryRule => ({ type: 'number', rule });

/** The usual statuses: a bad token, or that of a deleted account, is a 401 where tokens are read. */
export function usualStatuses({ access, status }: Pick<Operation, 'access' | 'status'>): number[] {
  if (access === 'public') return Array(8).fill(status);
  const anonymous = access === 'optional' ? status : 401;
  return [anonymous, 401, status, status, status, status, status, 401];
}

export const withToken = (status: number): number[] => usualStatuses(required(status));
export const ownersOnly = (status: number): number[] => [401, 401, 403, 403, status, 403, status, 401];
export const adminsOnly = (status: number) => [401, 401, 403, 403, 403, 403, status, 401];
const hiddenFromOthers = (status: number) => [401, 401, 404, 404, status, 404, status, 401];

export const privateEvent = { event: { visibility: 'private' } };

/** Rows of an operation that has one row: the state needs no name. */
export const row = (only: Row) => ({ rows: { '': only } });

/** Rows of an operation that each person with a token may use, where the event is not private. */
export const rowsOfPeople = (status: number) => ({ rows: { '': {}, private: privateRow(status) } });

/** Rows of an operation that only organizers and admins may use. */
export const rowsOfOwners = (status: number) => ({
  rows: { '': { statuses: ownersOnly(status) }, private: privateRow(status) },
});

/** The row of a private event that only its organizer and admins find. */
export const privateRow = (status: number, more: Row = {}): Row => ({
  statuses: hiddenFromOthers(status),
  ...more,
  ...privateEvent,
});

/** The row of a private event that a request may read without a token. */
export const privateRead: Row = { statuses: [404, 401, 404, 404, 200, 404, 200, 401], ...privateEvent };

/** Rows of an operation that reads an event, or something of it. */
export const rowsOfReaders = { rows: { '': {}, private: privateRead } };

export const rowOfAdmins = (more: Row = {}) => row({ statuses: adminsOnly(200), ...more });
