/** Delivers the causes of the outbox that have a single recipient. */
import {
  deleteRows,
  lockEach,
  type Statement,
  skipLockedUnless,
  sql,
  type Transaction,
  transaction,
} from '#pg';
import { AdvisoryLock } from '../../../schema/locks.ts';
import { type DeliveryServices, type DueCause, prepareDelivery } from './deliver.ts';

type CauseKey = { userId: string; id: string };
/** A row of `notification_causes`. `since`: the id of those about comments. */
type CauseRow = DueCause & CauseKey;

const causesPerBatch = 100;

/** Delivers all causes that are committed, unless another server is doing so. */
export async function deliverCauses(services: DeliveryServices): Promise<void> {
  while (await deliverBatch(services));
}

/**
 * Delivers a batch of causes. One transaction locks the causes, writes the notifications and deletes the
 * causes, so each cause is delivered exactly once, also if the server is killed. One server delivers at a time, and a
 * cause has the actor of the cause that it takes back, so it does not overtake it.
 * @returns whether there may be more causes that can be delivered
 */
const deliverBatch = (services: DeliveryServices): Promise<boolean> =>
  transaction(services.db, async (tx, commit) => {
    const [isOurs, found] = await Promise.all([tryLockDelivery(tx), listCauseKeys(tx)]);
    if (!isOurs || found.length === 0) return false;
    const causes = await lockCauses(tx, found);
    const { isBusy, deliver } = await prepareDelivery(tx, services, causes);
    const ready = causes.filter((cause) => !isBusy(cause));
    await commit(...deliver(ready), ...(ready.length > 0 ? [deleteCauses(ready)] : []));
    return ready.length > 0 && found.length === causesPerBatch;
  });

/** The lock is taken before the causes are read, so they are the ones that the last delivery left. */
async function tryLockDelivery(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${AdvisoryLock.delivery}) as is_locked`,
  );
  return row?.isLocked ?? false;
}

const listCauseKeys = (tx: Transaction): Promise<CauseKey[]> =>
  tx.query<CauseKey>(sql`
    select user_id, id from notification_causes order by user_id, id limit ${causesPerBatch}`);

/** Locks causes, a recipient at a time, and leaves out those that were deleted or that another transaction locks. */
async function lockCauses(tx: Transaction, keys: CauseKey[]): Promise<CauseRow[]> {
  const ids = Map.groupBy(keys, ({ userId }) => userId);
  const locked = await lockEach([...ids.keys()], String, (userId) =>
    tx.query<CauseRow>(sql`
      select user_id, id, kind, subject_id, actor_id, amount, event_id, decision,
        case when kind = 'comments' then id end as since
      from notification_causes
      where user_id = ${userId} and id = any(${ids.get(userId)?.map(({ id }) => id) ?? []}::uuid[])
      order by id for update ${skipLockedUnless(false)}`),
  );
  return [...locked.values()].flat();
}

const deleteCauses = (causes: CauseRow[]): Statement =>
  deleteRows('notification_causes c', causes, { userId: 'uuid', id: 'uuid' });
