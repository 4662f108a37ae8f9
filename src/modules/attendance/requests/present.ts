import { type PersonRow, toPerson } from '../../people/present.ts';
import type { RequestRow } from './repo.ts';
import type { JoinRequest } from './schemas.ts';

/** A request, without its status. */
export const toJoinRequest = (
  { answer, extraGuests, message, createdAt }: RequestRow,
  person: PersonRow,
  publicUrl: string,
): Omit<JoinRequest, 'status'> => ({
  user: toPerson(person, publicUrl),
  answer,
  extraGuests: extraGuests ?? 0,
  message,
  createdAt,
});
