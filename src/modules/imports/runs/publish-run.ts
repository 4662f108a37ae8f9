/** Publishes the entries of an import, each in its own transaction. */
import { type Transaction, transaction } from '#pg';
import { Problem } from '../../../lib/errors.ts';
import { countTowardsQuota } from '../../../quotas/daily-quotas.ts';
import { lockAccount } from '../../accounts/accounts.ts';
import { EntryError } from '../entry-error.ts';
import { forgetChange, publishEntry } from '../publish-entry.ts';
import { lockSource, makeDue } from '../sources/source-repo.ts';
import {
  countEntries,
  countUnpublished,
  type EntryRow,
  listUnpublished,
  lockEntry,
  lockRun,
  type Run,
  setProgress,
  updateEntry,
} from './repo.ts';
import type { RunServices } from './services.ts';

/** Entries of one part of the work; imports of other people have their turn between the parts. */
const partSize = 100;

/** Publishes a part of the entries that are left, and stores how far the publication is. */
export async function publishRun(services: RunServices, run: Run): Promise<void> {
  const { db, clock } = services;
  let waitsUntil: Date | null = null;
  for (const n of await listUnpublished(db, run, partSize)) {
    waitsUntil = await publishOne(services, run, n);
    if (waitsUntil) break;
  }
  await transaction(db, async (tx) => {
    // Before the lock of the import, as in LOCK_ORDER.
    const source = run.sourceId === null ? null : { userId: run.userId, id: run.sourceId };
    if (source) await lockSource(tx, source);
    // A source that has changed since replaces what is not published, under this lock.
    if ((await lockRun(tx, run))?.status !== 'publishing') return;
    const { open, waiting, total } = await countUnpublished(tx, run);
    const counts = await countEntries(tx, run);
    // A server that compares the source at this moment does not know all of these events: it loses the source, which is read anew.
    // Refused entries would be refused again.
    if (source && open === 0 && !counts.refused) await makeDue(tx, source, clock());
    await setProgress(tx, run, {
      counts: { ...counts, ...(waitsUntil && { waiting: open }) },
      progress: total === 0 ? 1 : (total - open) / total,
      dueAt: open === 0 ? null : (waitsUntil ?? clock()),
      hasReview: run.isAutomatic && waiting > 0,
    });
  });
}

/**
 * The lock of the entry makes two servers that have the import at the same time publish it once: the second finds it published.
 * @returns the time from which the entry can be published, if the quota of the day is used up
 */
async function publishOne(services: RunServices, run: Run, n: number): Promise<Date | null> {
  try {
    await transaction(services.db, async (tx) => {
      // A suspended organizer's import goes on once the account is restored, or is deleted with it.
      if (!(await lockAccount(tx, run.userId))) throw new Problem('account_suspended');
      const entry = await lockEntry(tx, run, n);
      // The source was deleted, or has replaced the entry.
      if (!entry || entry.isPublished || (run.isAutomatic && entry.waits)) return;
      const published = isChosen(entry, run) ? await publishChosen(tx, services, run, entry) : entry;
      await updateEntry(tx, run, { ...published, isPublished: true });
      if (entry === published) await forgetChange(tx, run.userId, entry, run.sourceId !== null);
    });
    return null;
  } catch (error) {
    const now = services.clock();
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'quota_exceeded') return new Date(now.getTime() + (error.retryAfter ?? 60) * 1_000);
    if (error.code === 'account_suspended') return new Date(now.getTime() + suspensionMs);
    throw error;
  }
}

const suspensionMs = 3_600_000;

const isChosen = ({ state }: EntryRow, { publishesDoubtful }: Run): boolean =>
  state === 'new' || state === 'changed' || (state === 'doubtful' && publishesDoubtful);

/** An entry that does not fit any more is refused, and the others are published. */
async function publishChosen(
  tx: Transaction,
  services: RunServices,
  run: Run,
  entry: EntryRow,
): Promise<EntryRow> {
  try {
    const context = {
      organizerId: run.userId,
      publicUrl: services.config.publicUrl,
      now: services.clock(),
      isAutomatic: run.isAutomatic,
      countNew: (tx: Transaction) => countTowardsQuota(tx, services, run.userId, 'imports'),
    };
    const { eventId } = await publishEntry(tx, context, entry);
    return { ...entry, eventId };
  } catch (error) {
    const isRefusal =
      error instanceof EntryError || (error instanceof Problem && error.code !== 'quota_exceeded');
    if (!isRefusal) throw error;
    return { ...entry, state: 'refused', reason: error.message };
  }
}
