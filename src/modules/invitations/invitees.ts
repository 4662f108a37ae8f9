/** Reads whom a request invites. */
import type { ReadyConfig } from '../../config/config.ts';
import { type MessageContact, readAddress, readNumber } from '../../lib/contact.ts';
import { invalid, Problem, readAt } from '../../lib/errors.ts';
import { readCountry } from '../../lib/phone.ts';
import { readUserId } from '../people/user-id.ts';
import type { Invitee } from './schemas.ts';

/** `key`: equal for the same account or contact; null for a link, which is new each time. */
export type ReadInvitee = {
  key: string | null;
  userId: string | null;
  contact: MessageContact | null;
  name: string | null;
  maxUses: number;
  expiresAt: Date | null;
};

type Services = { config: Pick<ReadyConfig, 'defaultCountry'> };

/** @throws Problem `invalid_request`, `self_relation`, `user_not_found` for a malformed id */
export function readInvitees(
  people: Invitee[],
  { callerId, now }: { callerId: string; now: Date },
  services: Services,
): ReadInvitee[] {
  // A 400 of any person comes before a 404.
  for (const [i, person] of people.entries()) checkFields(person, `people.${i}`, now);
  const contacts = people.map((person, i) => readAt(`people.${i}`, () => readContact(person, services)));
  if (people.some(({ userId }) => userId?.toLowerCase() === callerId)) throw new Problem('self_relation');
  return people.map(({ userId, name, maxUses, expiresAt }, i): ReadInvitee => {
    const contact = contacts[i] ?? null;
    const id = userId === undefined ? null : readUserId(userId);
    return {
      key: id ?? contact?.value ?? null,
      userId: id,
      contact,
      name: name ?? null,
      maxUses: maxUses ?? 1,
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
    };
  });
}

/** The fields that name a person, of which an invitation has one at most. */
const ways = ['userId', 'email', 'phone'] as const;
/** The fields of a link alone. */
const linkFields = ['maxUses', 'expiresAt'] as const;

/** @throws Problem `invalid_request` for fields that do not belong together */
function checkFields(person: Invitee, path: string, now: Date): void {
  const [first, second] = ways.filter((field) => person[field] !== undefined);
  const given = (fields: readonly (keyof Invitee)[]) => fields.find((field) => person[field] !== undefined);
  if (first && second) throw invalid(`${path}.${second}`, `cannot be sent with ${first}`);
  const foreign =
    first === 'userId'
      ? given(['name', 'country', ...linkFields])
      : given(first === 'phone' ? linkFields : first === 'email' ? ['country', ...linkFields] : ['country']);
  if (foreign)
    throw invalid(`${path}.${foreign}`, `cannot be sent ${first ? `with ${first}` : 'without phone'}`);
  if (!first && person.name === undefined)
    throw invalid(`${path}.name`, 'is required without a contact', 'required');
  if (person.expiresAt !== undefined && new Date(person.expiresAt) <= now)
    throw invalid(`${path}.expiresAt`, 'must be in the future');
}

/** @throws Problem `invalid_request` */
export function readContact(
  { email, phone, country }: Pick<Invitee, 'email' | 'phone' | 'country'>,
  { config }: Services,
): MessageContact | null {
  if (email !== undefined) return readAddress(email);
  return phone === undefined ? null : readNumber(phone, readCountry(country) ?? config.defaultCountry);
}
