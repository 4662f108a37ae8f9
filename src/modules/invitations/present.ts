import type { Queryable } from '#pg';
import type { ReadyConfig } from '../../config/config.ts';
import type { PersonRow } from '../people/present.ts';
import { toPerson } from '../people/present.ts';
import { listPeople } from '../people/repo.ts';
import { type InvitationRow, isForMany } from './repo.ts';
import type { Invitation } from './schemas.ts';
import { invitationUrl } from './token.ts';

type Config = Pick<ReadyConfig, 'publicUrl' | 'secretKey'>;

/** An invitation as an organizer reads it: the contact and the link are its maker's alone. */
function toInvitation(
  row: InvitationRow,
  viewerId: string,
  user: PersonRow | null,
  config: Config,
): Invitation {
  const isMaker = row.inviterId === viewerId;
  const contactOf = (kind: 'email' | 'phone') => (isMaker && row.contactKind === kind ? row.contact : null);
  return {
    ...row,
    user: user && toPerson(user, config.publicUrl),
    status: isForMany(row) ? null : row.status,
    email: contactOf('email'),
    phone: contactOf('phone'),
    url: isMaker && !row.isById ? invitationUrl(config, row.id) : null,
  };
}

/** Reads the people of invitations. @returns makes the invitations that an organizer reads */
export async function presentInvitations(
  db: Queryable,
  rows: InvitationRow[],
  viewerId: string,
  config: Config,
): Promise<Invitation[]> {
  const people = await listPeople(
    db,
    rows.flatMap(({ userId }) => userId ?? []),
  );
  const personOf = new Map(people.map((person) => [person.id, person]));
  return rows.map((row) => toInvitation(row, viewerId, personOf.get(row.userId ?? '') ?? null, config));
}
