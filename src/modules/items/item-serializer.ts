/**
 * Composes the list of an event's items from serialized fragments. Concurrent requests for the items of an
 * event share its fragments, and those without a token share the whole text. `myClaim` and `claims` are
 * appended for each caller. Each fragment comes from a serializer of its declared schema;
 * item-serializer.test.ts compares the composed text with the serialization of the whole response.
 */
import { Type } from 'typebox';
import { serializerOf } from '../../http/serialization.ts';
import { mapInTurns } from '../../lib/map-in-turns.ts';
import { type ClaimantRow, type ItemRow, type MyClaim, toClaimant, toItem, toMyClaim } from './present.ts';
import { Item, type Kind } from './schemas.ts';

const serializeAnyItem = serializerOf(Item);
const serializeMyClaim = serializerOf(Type.Object({ myClaim: Item.properties.myClaim }));
const serializeClaims = serializerOf(Type.Object({ claims: Item.properties.claims }));

/** An `Item` without `myClaim` and `claims`. */
export const serializeItem = (row: ItemRow): string => serializeAnyItem(toItem(row, null));

/** An item of a list. `bytes`: its JSON without `myClaim`, `claims` and the closing brace. */
type ItemFragment = { n: number; kind: Kind; bytes: Buffer };
/** The items of an event. `texts`: the lists without `myClaim` and `claims` that were requested, by filter. */
export type SerializedItems = { fragments: ItemFragment[]; texts: Map<Kind | undefined, Buffer> };

export async function serializeItems(rows: ItemRow[]): Promise<SerializedItems> {
  const toFragment = (row: ItemRow): ItemFragment => {
    const bytes = Buffer.from(serializeItem(row).slice(0, -1));
    return { n: row.n, kind: row.kind, bytes };
  };
  return { fragments: await mapInTurns(rows, toFragment), texts: new Map() };
}

/** `,"claims":…}` of the items that show claimants, by the number of the item. */
export type SerializedClaimants = Map<number, Buffer>;

/** @param rows the claimants of an event's items, as the caller sees them */
export async function serializeClaimants(
  rows: ClaimantRow[],
  publicUrl: string,
): Promise<SerializedClaimants> {
  const byItem = Map.groupBy(rows, ({ n }) => n);
  const toEntry = ([n, claimants]: [number, ClaimantRow[]]) =>
    [n, claimsFragment(claimants.map((row) => toClaimant(row, publicUrl)))] as const;
  return new Map(await mapInTurns(byItem, toEntry));
}

const claimsFragment = (claims: Item['claims']): Buffer =>
  Buffer.from(`,${serializeClaims({ claims }).slice(1)}`);
const noClaims = claimsFragment([]);

const openData = Buffer.from('{"data":[');
const closeData = Buffer.from(']}');
const comma = Buffer.from(',');
const closeObject = Buffer.from('}');
/** `,"myClaim":…}` */
const claimFragment = (claim: MyClaim | undefined): Buffer =>
  Buffer.from(`,${serializeMyClaim({ myClaim: toMyClaim(claim) }).slice(1)}`);
const noClaim = claimFragment(undefined);

/**
 * The list of the items of a kind, or of all kinds.
 * @param myClaims the caller's claims by the number of the item; null without a caller
 * @param claimants null if the caller may not see them
 */
export function composeItemList(
  items: SerializedItems,
  kind: Kind | undefined,
  myClaims: Map<number, MyClaim> | null,
  claimants: SerializedClaimants | null,
): Buffer {
  if (claimants) {
    const claimsEnd = (n: number) => claimants.get(n) ?? noClaims;
    if (!myClaims) return compose(items, kind, claimsEnd);
    const withoutBrace = (n: number) => ownEnd(myClaims.get(n)).subarray(0, -1);
    return compose(items, kind, (n) => Buffer.concat([withoutBrace(n), claimsEnd(n)]));
  }
  if (myClaims) return compose(items, kind, (n) => ownEnd(myClaims.get(n)));
  const text = items.texts.get(kind) ?? compose(items, kind, () => closeObject);
  items.texts.set(kind, text);
  return text;
}

const ownEnd = (claim: MyClaim | undefined): Buffer => (claim ? claimFragment(claim) : noClaim);

function compose(
  { fragments }: SerializedItems,
  kind: Kind | undefined,
  endOf: (n: number) => Buffer,
): Buffer {
  const parts: Buffer[] = [openData];
  for (const fragment of fragments) {
    if (kind !== undefined && fragment.kind !== kind) continue;
    if (parts.length > 1) parts.push(comma);
    parts.push(fragment.bytes, endOf(fragment.n));
  }
  parts.push(closeData);
  return Buffer.concat(parts);
}
