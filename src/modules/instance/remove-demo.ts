import { transaction } from '#pg';
import { auditContextOf, recordAudit } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAsAdmin } from '../../identity/act-as-admin.ts';
import { contactsOf } from '../../lib/contact.ts';
import { listDemoAccounts } from '../accounts/admins.ts';
import { lockContacts, lockContactsOf } from '../accounts/codes/contact-locks.ts';
import { hashContacts } from '../accounts/codes/hashes.ts';
import { deletePerson } from '../accounts/deletion/delete-person.ts';
import { findMe } from '../accounts/profile/repo.ts';
import { tryRemoveFiles } from '../uploads/sweep.ts';
import { RemovedDemo } from './schemas.ts';
import type { InstanceServices } from './services.ts';

export const removeDemo = defineEndpoint({
  method: 'DELETE',
  path: '/v1/admin/demo-data',
  summary: 'Delete the accounts of the demonstration',
  description:
    'For admins. Deletes the accounts with all of their data, such as their events, except that of the caller. Each account is ' +
    'deleted by itself, so after a failure, the request can be repeated.',
  caller: 'admin',
  response: { 200: RemovedDemo },
  limits: { timeoutMs: 60_000 },

  async handler({ caller, request }, services: InstanceServices) {
    const { db } = services;
    const context = auditContextOf(services, request);
    const userIds = (await listDemoAccounts(db)).filter((id) => id !== caller.id);
    let accounts = 0;
    for (const userId of userIds) {
      const files = await removeAccount(services, userId, context);
      if (!files) continue;
      accounts++;
      await tryRemoveFiles(services, files);
    }
    if (accounts > 0)
      await actAsAdmin(db, caller, (tx) =>
        recordAudit(tx, context, { userId: caller.id }, 'demo_removed', `${accounts}`),
      );
    return { status: 200, body: { accounts } };
  },
});

/** @returns the ids of the files to remove; null if another transaction has deleted the account */
const removeAccount = (
  services: InstanceServices,
  userId: string,
  context: ReturnType<typeof auditContextOf>,
): Promise<string[] | null> =>
  transaction(services.db, async (tx) => {
    await lockContactsOf(tx, context.secretKey, userId);
    const person = await findMe(tx, userId);
    if (!person) return null;
    const contacts = contactsOf(person);
    await lockContacts(tx, hashContacts(context.secretKey, contacts));
    return deletePerson(tx, services, context, { userId, contacts });
  });
