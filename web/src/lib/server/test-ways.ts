import type { Client } from '@potluck/client';
import { getFeatures, type Me } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';

/** The contacts of a person to which the server can send messages. */
export async function findTestWays(client: Client, me: Me | null): Promise<('phone' | 'email')[]> {
  const { mail } = await read(getFeatures({ client }));
  return [...(me?.phone ? (['phone'] as const) : []), ...(me?.email && mail ? (['email'] as const) : [])];
}
