/**
 * Every operation of the API: its access and statuses, the rule of each field and parameter, and an example. Written by
 * hand, from the specification and, where it is silent, from the contract in docs/decisions; only the names of the kinds
 * of notifications are those that the server declares. The access matrix, the tests of strict validation, and the torture
 * programs `matrix` and `fuzz` read it; an operation that the OpenAPI document has and this table lacks is a fault, and
 * so is the reverse.
 */
import { adminOperations } from './admin.ts';
import { announcementOperations } from './announcements.ts';
import { attendanceOperations } from './attendance.ts';
import { commentOperations } from './comments.ts';
import { eventOperations } from './events.ts';
import { guestOperations } from './guests.ts';
import { importOperations } from './imports.ts';
import { instanceOperations } from './instance.ts';
import { invitationAnswerOperations } from './invitation-answers.ts';
import { invitationOperations } from './invitations.ts';
import { itemOperations } from './items.ts';
import { type Operation, type Row, usualStatuses } from './operation.ts';
import { peopleOperations } from './people.ts';
import { seriesOperations } from './series.ts';
import { sessionOperations } from './sessions.ts';

/** By method and path, as `GET /v1/events/{id}`. */
export const operations: Record<string, Operation> = {
  ...sessionOperations,
  ...peopleOperations,
  ...eventOperations,
  ...attendanceOperations,
  ...guestOperations,
  ...invitationAnswerOperations,
  ...announcementOperations,
  ...invitationOperations,
  ...itemOperations,
  ...seriesOperations,
  ...importOperations,
  ...commentOperations,
  ...adminOperations,
  ...instanceOperations,
};

export type AccessRow = Row & { statuses: number[] };

/** One row for each route and state. The key is the method, the path and, in brackets, the state. */
export const accessRows: Record<string, AccessRow> = Object.fromEntries(
  Object.entries(operations).flatMap(([route, operation]) =>
    Object.entries(operation.rows ?? { '': {} }).map(([state, row]): [string, AccessRow] => [
      state === '' ? route : `${route} (${state})`,
      {
        statuses: usualStatuses(operation),
        ...(operation.example && { body: operation.example }),
        ...row,
      },
    ]),
  ),
);

/** Returns the route of a row's key: the key without the state in brackets. */
export const routeOf = (name: string): string => name.replace(/ \(.*\)$/, '');
