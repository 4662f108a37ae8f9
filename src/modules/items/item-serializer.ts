/**
 * Composes the list of an event's items from serialized fragments. Concurrent requests for the items of an
 * event share its fragments, and those without a token share the whole text. `myClaim` and `claims` are
 * appended for each caller. Each fragment comes from a serializer of its declared schema;
 * item-serializer.test.ts compares the composed text with the serialization of the whole response.
 */
import { Type } from 'typebox';
import { mapInTurns } from '#base';
import { serializerOf } from '../../http/serialization.ts';
import { type ClaimantRow, type ItemRow, type MyClaim, toClaimant, toItem, toMyClaim } from './present.ts';
import { Item, type Kind } from './schemas.ts';

const serializeAnyItem = serializerOf(Item);
const serializeMyClaim = serializerOf(Type.Object({ myClaim: Item.properties.myClaim }));
const serializeClaims = serializerOf(Type.Object({ claims: Item.properties.claims }));

/** An `Item` without `myClaim` and `claims`. */
export const serializeItem = (row: ItemRow): string => serializeAnyItem(toItem(row, null));

/** An item of a list. `start`: its JSON without `myClaim`, `claims` and the closing brace. */
type ItemFragment = { n: number; kind: Kind; start: string };
/** The items of an event. `texts`: the lists without `myClaim` and `claims` that were requested, by filter. */
export type SerializedItems = { fragments: ItemFragment[]; texts: Map<Kind | undefined, string> };

export const serializeItems = (rows: ItemRow[]): SerializedItems => ({
  fragments: rows.map((row) => ({ n: row.n, kind: row.kind, start: serializeItem(row).slice(0, -1) })),
  texts: new Map(),
});

/** `,"claims":…}` of the items that show claimants, by the number of the item. */
export type SerializedClaimants = Map<number, string>;

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

const claimsFragment = (claims: Item['claims']): string => `,${serializeClaims({ claims }).slice(1)}`;
const noClaims = claimsFragment([]);

/** `,"myClaim":…` */
const claimFragment = (claim: MyClaim | undefined): string =>
  `,${serializeMyClaim({ myClaim: toMyClaim(claim) }).slice(1, -1)}`;
const noClaim = claimFragment(undefined);

/**
 * The list of the items of a kind, or of all kinds.
 * @param myClaims the caller's claims by the number of the item; null without a caller
 * @param claimants null if the caller may not see them
 */
export function composeItemList(
  { fragments, texts }: SerializedItems,
  kind: Kind | undefined,
  myClaims: Map<number, MyClaim> | null,
  claimants: SerializedClaimants | null,
): string {
  const isShared = !myClaims && !claimants;
  const known = isShared ? texts.get(kind) : undefined;
  if (known !== undefined) return known;
  let text = '';
  for (const { n, kind: ofItem, start } of fragments) {
    if (kind !== undefined && ofItem !== kind) continue;
    const claim = myClaims?.get(n);
    const mine = claim ? claimFragment(claim) : myClaims ? noClaim : '';
    text += `${text ? ',' : ''}${start}${mine}${claimants ? (claimants.get(n) ?? noClaims) : '}'}`;
  }
  const list = `{"data":[${text}]}`;
  if (isShared) texts.set(kind, list);
  return list;
}
