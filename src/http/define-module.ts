/**
 * Declares a module: the endpoints, jobs and hooks of one subject. The server iterates
 * over them.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ChangedRecords, ListingKey } from '#fresh-records';
import type { Transaction } from '#pg';
import type { Contact } from '../lib/contact.ts';
import type { LockedTable } from '../schema/locks.ts';
import type { App } from './app.ts';
import { type Endpoint, type RegistrationServices, registerEndpoint } from './define-endpoint.ts';
import type { ExportSection } from './export-section.ts';

/**
 * Work that every server repeats. Runs of several servers at the same time must be harmless. `atStart`: the first run is
 * when the server listens, and not after the interval.
 */
export type Job<S> = { name: string; everyMs: number; atStart?: true; run(services: S): Promise<void> };

/**
 * The account that is deleted. `contactHashes`: the keys of the rows of its contacts in `codes`. `unseen`: in a sweep, the
 * effect `unseen` of the deletion.
 */
export type DeletedAccount = { userId: string; contactHashes: Buffer[]; unseen: string[] };

/** What a deletion hook changed outside its own tables. */
export type DeletionEffects = {
  /** Cached records that change. */
  records?: ChangedRecords[];
  /** Listing keys of events that leave lists. */
  listingKeys?: ListingKey[];
  /** Ids of files to remove after the commit. */
  files?: string[];
  /**
   * People whose rows about the person must exist, but were not found under their keys: on a cluster, they are not
   * visible yet.
   */
  unseen?: string[];
};

/**
 * Deletes a module's rows of a person, inside the transaction that deletes the account, and corrects the
 * counters that other people see. Hooks run in the order of LOCK_ORDER by `firstTable`. A hook may rely on
 * rows that an earlier hook locked; its doc comment names them. Sweeps run the hook again, when the account no longer
 * exists: it then deletes what has become visible since (decision 51).
 */
export type DeletionHook = {
  /** The first table that the hook locks, or reads under the lock of an earlier hook. */
  firstTable: LockedTable;
  /** Sweeps leave the hook out: its rows may be those of a new account with the same contact. */
  isOnce?: true;
  /** @returns nothing if only tables of the hook changed */
  run(tx: Transaction, account: DeletedAccount): Promise<DeletionEffects | undefined>;
};

/**
 * What follows from contacts that an account has confirmed, or lost, in the transaction of the change. It has locked the account and
 * the contacts, and has stored what the account has now.
 */
export type ContactHook = (tx: Transaction, userId: string, changed: Contact[]) => Promise<void>;

/**
 * Ends what a person has at an event in the tables of a module, when the person leaves it (`isRemoved` is false) or the organizer
 * removes the person. RSVPs, bookings, claims and guest tokens end without a hook. The transaction holds the locks of the
 * event's counters; the hook locks only rows that no transaction locks before it waits for these.
 */
export type DepartureHook = {
  /** The first table in LOCK_ORDER that the hook writes. */
  firstTable: LockedTable;
  run(
    tx: Transaction,
    departure: { eventId: string; userId: string; isRemoved: boolean },
  ): Promise<{
    /** Whether the person had anything. */
    hadAny: boolean;
    /** Cached records that change. */
    records?: ChangedRecords[];
  }>;
};

/**
 * Invites the people who answered an event that becomes private, in the transaction of the change, which has locked the event and has
 * not written it yet.
 */
export type PrivacyHook = (
  tx: Transaction,
  change: { eventId: string; organizerId: string; callerId: string; now: Date },
) => Promise<void>;

/**
 * Gives a cancelled date of a series that takes place again the RSVPs of people who have answered the series, in the transaction of the
 * change, which has locked the event and has not written it yet. `fields`: what the event has after it.
 */
export type RestoredDateHook = (
  tx: Transaction,
  date: { eventId: string; seriesId: string; organizerId: string; fields: RestoredFields; now: Date },
) => Promise<void>;
type RestoredFields = { visibility: string; rsvpApproval: string; rsvpUntil: Date | null };

export type Module<S> = {
  /** The section of the OpenAPI document, for endpoints without a `tag` of their own. */
  tag: string;
  /** By `operationId`. It names the function of the client, so another name breaks programs. */
  endpoints: Record<string, Endpoint<S>>;
  jobs?: Job<S>[];
  deletionHooks?: DeletionHook[];
  departureHooks?: DepartureHook[];
  contactHooks?: ContactHook[];
  privacyHooks?: PrivacyHook[];
  restoredDateHooks?: RestoredDateHook[];
  exportSections?: ExportSection[];
  /** Prepares the Fastify scope that holds the module's endpoints, for example with body parsers. */
  setup?(app: App, services: S): void;
};

export const defineModule = <S>(module: Module<S>): Module<S> => module;

/** Adds the endpoints of a module to a Fastify scope of their own. */
export async function registerModule<S extends RegistrationServices>(
  app: App,
  { tag, endpoints, setup }: Module<S>,
  services: S,
): Promise<void> {
  await app.register(async (fastify) => {
    const scope = fastify.withTypeProvider<TypeBoxTypeProvider>();
    setup?.(scope, services);
    for (const [operationId, endpoint] of Object.entries(endpoints))
      registerEndpoint(scope, { tag, ...endpoint, operationId }, services);
  });
}
