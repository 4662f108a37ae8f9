/** Account export: the account itself. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../../http/schemas.ts';
import { profileColumns, storedFields } from './profile-fields.ts';

const { id, count } = exportColumns;

export const profileExportSections: ExportSection[] = [
  {
    name: 'profile',
    row: exportRow('ExportProfile', {
      id,
      phone: nullable(Type.String({ examples: ['+12025550102'] }), { description: 'E.164.' }),
      email: nullable(Type.String({ examples: ['mara@example.org'] })),
      oidc: nullable(Type.String({ examples: ['https://id.example.org/ 248289761001'] }), {
        description: 'The identity at an OpenID Connect provider: the issuer, a space, the subject.',
      }),
      ...storedFields,
      role: oneOf(['user', 'admin']),
      avatarUpload: nullable(id, { description: 'The id of the upload; null for the generated avatar.' }),
      suspendedAt: nullable(timestamp()),
      suspensionReason: Type.String({ description: 'Empty without a suspension.' }),
      createdAt: timestamp(),
      followersCount: count,
      followingCount: count,
      eventsCount: count,
    }),
    description: 'The account, with the phone number, the mail address and the identity.',
    tables: ['users', 'user_counters', 'contacts', 'guest_contacts', 'usernames'],
    rows: (subject) => sql`
      select u.id, u.phone, u.email, u.oidc, ${profileColumns}, u.role, u.avatar_upload, u.suspended_at, u.suspension_reason, u.created_at,
        coalesce(c.followers_count, 0) as followers_count, coalesce(c.following_count, 0) as following_count,
        coalesce(c.events_count, 0) as events_count
      from users u left join user_counters c on c.user_id = u.id where u.id = ${subject.id}`,
  },
];
