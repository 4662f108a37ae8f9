/** Who may administer: admins, by the role that they have when it is done. */
import type { FastifyRequest } from 'fastify';
import type { Database } from '../db/client.ts';
import type { Transaction } from '../db/transaction.ts';
import { transaction } from '../db/transaction.ts';
import { requireCaller } from '../http/authenticate.ts';
import { Problem } from '../lib/errors.ts';
import { lockCallers } from './act-as.ts';
import type { Caller } from './caller.ts';

/** @throws Problem `not_admin` */
export function signedInAdmin(request: FastifyRequest): Caller {
  const viewer = requireCaller(request);
  if (viewer.role !== 'admin') throw new Problem('not_admin');
  return viewer;
}

/** As `actAs`, and the caller is an admin as long as it lasts: whoever takes the role from them waits, or came before. */
export function actAsAdmin<T>(
  db: Database,
  caller: Caller,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return transaction(db, async (tx) => {
    await lockAdmin(tx, caller);
    return work(tx);
  });
}

/** @throws Problem `token_invalid`, `not_admin` */
export async function lockAdmin(tx: Transaction, caller: Caller): Promise<void> {
  const [role] = await lockCallers(tx, [caller], true);
  if (!role) throw new Problem('token_invalid');
  if (role !== 'admin') throw new Problem('not_admin');
}
