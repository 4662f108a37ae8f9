import type { MailRow } from '../../../mail/mails.ts';
import type { AdminMail } from './schemas.ts';

export const toAdminMail = ({ kind, state, dueAt, ...row }: MailRow): AdminMail => ({
  ...row,
  kind: kind as AdminMail['kind'],
  state,
  dueAt: state === 'queued' ? dueAt : null,
});
