/** The caller's own account: reads and changes of the row in `users`. */
import { recordChange } from '#fresh-records';
import { assignments, one, type Queryable, sql, type Transaction, update } from '#pg';
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import { changedPeople } from '../../../identity/changed-people.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { userSearchText } from '../../people/search/patterns.ts';
import { isOwnUpload } from '../../uploads/repo.ts';
import type { MeRow, StoredProfile } from './present.ts';
import { columnsOf, profileColumns } from './profile-fields.ts';
import { isReservedUsername } from './reserved-usernames.ts';
import type { MeChange } from './schemas.ts';

/** @throws Problem `token_invalid` if the account has been deleted since the token was read */
export async function requireMe(db: Queryable, id: string): Promise<MeRow> {
  const row = await findMe(db, id);
  if (!row) throw new Problem('token_invalid');
  return row;
}

/** @returns null if the account has been deleted */
export async function findMe(db: Queryable, id: string): Promise<MeRow | null> {
  const [row] = await db.query<MeRow>(sql`
    select u.id, ${profileColumns}, u.avatar_upload, u.phone, u.email, u.oidc, u.role, u.created_at,
      c.followers_count, c.following_count, c.events_count
    from users u join user_counters c on c.user_id = u.id
    where u.id = ${id}`);
  return row ?? null;
}

/** The fields to change. `avatarUpload`: the id of an upload, or null for the generated avatar. */
type ProfileChange = Omit<MeChange, 'avatar'> & { avatarUpload?: string | null };

/**
 * Changes the fields that are present. The row is locked before it is read, so two concurrent changes run one
 * after the other and neither is lost. The primary key of `usernames` makes usernames unique. The deletion of
 * an upload locks its owner's row too, so `avatar_upload` always refers to an existing upload.
 * @param check receives the locked row and may throw
 * @throws Problem `username_taken`, and `invalid_request` for an avatar that the person did not upload
 */
export async function updateProfile(
  tx: Transaction,
  id: string,
  change: ProfileChange,
  check: (current: StoredProfile) => void = () => {},
): Promise<void> {
  const current = one(
    await tx.query<StoredProfile>(sql`
    select ${profileColumns}, u.avatar_upload from users u where u.id = ${id} for no key update`),
  );
  check(current);
  if (change.avatarUpload && !(await isOwnUpload(tx, id, change.avatarUpload))) throw notOwnUpload();
  const next = { ...current, ...change, username: (change.username ?? current.username).toLowerCase() };
  if (next.username !== current.username) await changeUsername(tx, id, current.username, next.username);
  const changed = assignments({
    ...columnsOf(next),
    avatar_upload: next.avatarUpload,
    search: userSearchText(next.name, next.username),
  });
  await tx.query(sql`${update('users', changed)} where id = ${id}`);
  await recordChange(tx, { records: [changedPeople([id])] });
}

/** Stores the language of a person who has none. */
export async function storeFirstLanguage(tx: Transaction, id: string, language: Language): Promise<void> {
  await tx.query(sql`${update('users', sql`language = ${language}`)} where id = ${id} and language is null`);
}

/** Waits for concurrent changes of both usernames. @throws Problem `username_taken`, also for a reserved name */
async function changeUsername(tx: Transaction, id: string, current: string, next: string): Promise<void> {
  if (isReservedUsername(next)) throw usernameTaken('reserved', 'is reserved');
  const count = await tx.execute(sql`
    insert into usernames (username, user_id) values (${next}, ${id}) on conflict do nothing`);
  if (count === 0) throw usernameTaken('taken', 'is taken');
  await tx.query(sql`delete from usernames where username = ${current}`);
}

const usernameTaken = (rule: 'taken' | 'reserved', message: string) =>
  new Problem('username_taken', { errors: [{ path: 'username', rule, message }] });

/** The refusal of an avatar that is not an upload of the person. */
export const notOwnUpload = () =>
  invalid('avatar', 'must be the `url` of an image that you uploaded, or null', 'own_upload');
