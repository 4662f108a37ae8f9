/**
 * Composes the list of an event's items from serialized fragments. Concurrent requests for the items of an event share
 * its fragments, and those without a token share the whole text. `myClaim` is appended for each caller. Each fragment
 * comes from a serializer of its declared schema; item-serializer.test.ts compares the composed text with the
 * serialization of the whole response.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { serializerOf } from '../../http/serialization.ts';
import { type ItemRow, type MyClaim, toItem, toMyClaim } from './present.ts';
import { Item, type Kind } from './schemas.ts';

const serializeAnyItem = serializerOf(Item);
const serializeMyClaim = serializerOf(Type.Object({ myClaim: Item.properties.myClaim }));

/** An `Item` without `myClaim`. */
export const serializeItem = (row: ItemRow): string => serializeAnyItem(toItem(row, null));

/** An item of a list. `bytes`: its JSON without `myClaim` and without the closing brace. */
type ItemFragment = { n: number; kind: Kind; bytes: Buffer };
/** The items of an event. `texts`: the lists without `myClaim` that were requested so far, by their filter. */
export type SerializedItems = { fragments: ItemFragment[]; texts: Map<Kind | undefined, Buffer> };

/** In ms: a list that takes longer to serialize lets other requests run in between. */
const maxTurnMs = 5;

export async function serializeItems(rows: ItemRow[]): Promise<SerializedItems> {
  const fragments: ItemFragment[] = [];
  let turnStartedAt = performance.now();
  for (const row of rows) {
    const bytes = Buffer.from(serializeItem(row).slice(0, -1));
    fragments.push({ n: row.n, kind: row.kind, bytes });
    if (performance.now() - turnStartedAt < maxTurnMs) continue;
    await nextTurn();
    turnStartedAt = performance.now();
  }
  return { fragments, texts: new Map() };
}

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
 */
export function composeItemList(
  items: SerializedItems,
  kind: Kind | undefined,
  myClaims: Map<number, MyClaim> | null,
): Buffer {
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
