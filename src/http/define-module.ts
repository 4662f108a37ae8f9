/** Declares a module: the endpoints, jobs and hooks of one subject. The server and the account module iterate over them. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { LockedTable } from '../db/locks.ts';
import type { Transaction } from '../db/transaction.ts';
import type { App } from './app.ts';
import { type Endpoint, type RegistrationServices, registerEndpoint } from './define-endpoint.ts';

/** Work that every server repeats. Runs of several servers at the same time must be harmless. */
export type Job<S> = { name: string; everyMs: number; run(services: S): Promise<void> };

/** The person whose account is deleted. */
export type DeletedAccount = { userId: string; phone: string; phoneHash: Buffer };

/**
 * Removes what a module holds of a person, inside the transaction that deletes the account. Hooks run in lock order.
 * @returns keys of cached records that change, listing keys of events that leave lists, and ids of files to remove
 */
export type DeletionHook = {
  /** The first table that the hook locks; it decides the hook's place among the others. */
  firstTable: LockedTable;
  run(tx: Transaction, account: DeletedAccount): Promise<void>;
};

export type Module<S> = {
  name: string;
  endpoints: Endpoint<S>[];
  jobs?: Job<S>[];
  /** Prepares the Fastify scope that holds the module's endpoints, for example with body parsers. */
  setup?(app: App, services: S): void;
};

export const defineModule = <S>(module: Module<S>): Module<S> => module;

/** Adds the endpoints of a module to a Fastify scope of their own. */
export async function registerModule<S extends RegistrationServices>(
  app: App,
  { endpoints, setup }: Module<S>,
  services: S,
): Promise<void> {
  await app.register(async (fastify) => {
    const scope = fastify.withTypeProvider<TypeBoxTypeProvider>();
    setup?.(scope, services);
    for (const endpoint of endpoints) registerEndpoint(scope, endpoint, services);
  });
}
