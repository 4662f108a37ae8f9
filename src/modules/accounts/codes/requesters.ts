/**
 * Who requests or enters a code. Codes and wrong tries belong to a requester, and its trust decides which limits apply, so that
 * strangers cannot use up what the owner of the contact needs (decision 4).
 *
 * | requester | trust |
 * |---|---|
 * | the account, in a session | `device` |
 * | a device that has signed in with the contact | `device` |
 * | a client network in which the contact has signed in | `network` |
 * | any other client network | `unknown` |
 * | the operator, by a command | `device` |
 */
import type { FastifyRequest } from 'fastify';
import { dayMs, isKnownAddress, keyedHash, largestNetworkOf, networksOf } from '#base';
import { type Database, sql, type Transaction } from '#pg';
import { deviceCookieName, readCookies } from '../../../http/browser-cookie.ts';
import type { AccountServices } from '../services.ts';
import { readDeviceToken } from './device-tokens.ts';
import type { CodeUse } from './hashes.ts';

export type Trust = 'unknown' | 'network' | 'device';

/**
 * `id`: a keyed hash, different for each contact. `triesId`: that by which tries are counted. It is the same, except that the tries
 * of an unknown network count for the largest network that contains it.
 */
export type Requester = { id: Buffer; triesId: Buffer; trust: Trust };

/** `address`: the client's IP address. `isOwner`: the request was sent in a session of the contact's account. */
export type Sender = { address: string; deviceTokens: string[]; isOwner: boolean };

/** @param deviceToken of the body; default: the cookie of the browser */
export function senderOf(
  { config }: Pick<AccountServices, 'config'>,
  { ip, headers }: FastifyRequest,
  deviceToken?: string,
): Sender {
  const cookies = () => readCookies(headers.cookie ?? '', deviceCookieName(config)).slice(0, maxCookies);
  return { address: ip, deviceTokens: deviceToken === undefined ? cookies() : [deviceToken], isOwner: false };
}

/** A session of the account sends the request. */
export const ownerAt = (address: string): Sender => ({ address, deviceTokens: [], isOwner: true });

/** The operator of the server, who creates links by a command. */
export const operatorOf = (key: string, contactHash: Buffer): Requester =>
  known(requesterId(key, contactHash, 'operator', ''), 'device');

const known = (id: Buffer, trust: Trust): Requester => ({ id, triesId: id, trust });

/** Bounds the work for a header with many cookies of one name. */
const maxCookies = 5;
/** A network is known for as long as a device is. */
const networkMs = 400 * dayMs;
const maxNetworks = 10;

type Context = { secretKey: string; now: Date };

const requesterId = (key: string, contactHash: Buffer, kind: string, data: Buffer | string): Buffer =>
  keyedHash(key, 'requester', Buffer.concat([contactHash, Buffer.from(`${kind}\0`), Buffer.from(data)]));

/** A contact is known in the smallest network of an address alone: in a larger one are other people. */
const networkId = (key: string, contactHash: Buffer, address: string): Buffer =>
  requesterId(key, contactHash, 'network', networksOf(address)[0].id);

/** The requester of a code. One has a code of its own for each event, and its tries for all events count together. */
export async function findRequester(
  tx: Transaction,
  context: Context,
  contactHash: Buffer,
  sender: Sender,
  { eventId }: CodeUse,
): Promise<Requester> {
  const requester = await findSender(tx, context, contactHash, sender);
  if (eventId === undefined) return requester;
  return { ...requester, id: requesterId(context.secretKey, requester.id, 'event', eventId) };
}

async function findSender(
  tx: Transaction,
  { secretKey, now }: Context,
  contactHash: Buffer,
  { address, deviceTokens, isOwner }: Sender,
): Promise<Requester> {
  if (isOwner) return known(requesterId(secretKey, contactHash, 'account', ''), 'device');
  for (const token of deviceTokens) {
    const device = readDeviceToken(secretKey, contactHash, token, now);
    if (device) return known(requesterId(secretKey, contactHash, 'device', device), 'device');
  }
  const id = networkId(secretKey, contactHash, address);
  const found = await tx.query(sql`
    select 1 from known_networks
    where contact_hash = ${contactHash} and network = ${id} and signed_in_at > ${new Date(now.getTime() - networkMs)}`);
  if (found.length > 0) return known(id, 'network');
  const triesId = requesterId(secretKey, contactHash, 'network', largestNetworkOf(address));
  return { id, triesId, trust: 'unknown' };
}

/**
 * Remembers the network of a sign-in, and forgets the oldest network of the contact above the maximum. All clients without an
 * address share one network, which is never known.
 */
export async function rememberNetwork(
  tx: Transaction,
  { secretKey, now }: Context,
  contactHash: Buffer,
  address: string,
): Promise<void> {
  if (!isKnownAddress(address)) return;
  const id = networkId(secretKey, contactHash, address);
  await Promise.all([
    tx.query(sql`
      insert into known_networks (contact_hash, network, signed_in_at) values (${contactHash}, ${id}, ${now})
      on conflict (contact_hash, network) do update set signed_in_at = excluded.signed_in_at`),
    tx.query(sql`
      delete from known_networks where contact_hash = ${contactHash} and network in (
        select network from known_networks where contact_hash = ${contactHash}
        order by signed_in_at desc, network offset ${maxNetworks})`),
  ]);
}

export async function deleteExpiredNetworks(db: Database, now: Date): Promise<void> {
  await db.query(
    sql`delete from known_networks where signed_in_at <= ${new Date(now.getTime() - networkMs)}`,
  );
}
