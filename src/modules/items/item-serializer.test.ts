import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import fastJson, { type Schema } from 'fast-json-stringify';
import { anyText } from '../../../test/support/any-text.ts';
import { composeItemList, serializeClaimants, serializeItems } from './item-serializer.ts';
import { type ClaimantRow, type ItemRow, type MyClaim, toClaimant, toItem } from './present.ts';
import { Item, ItemList } from './schemas.ts';

const serializeList = fastJson(ItemList as Schema, { schema: { Item: Item as Schema } });
const text = anyText({ maxLength: 60 });
const count = fc.integer({ min: 0, max: 10_000 });
const rows: fc.Arbitrary<ItemRow[]> = fc.uniqueArray(
  fc.record({
    eventId: fc.uuid(),
    n: fc.nat(20),
    kind: fc.constantFrom('bring', 'wish'),
    title: text,
    description: fc.option(text),
    emoji: text,
    imageUrl: fc.option(fc.webUrl()),
    link: fc.option(fc.webUrl()),
    needed: count,
    claimed: count,
    claimsVersion: count,
  }),
  { selector: ({ n }) => n, maxLength: 8 },
);
const myClaims: fc.Arbitrary<Map<number, MyClaim> | null> = fc.option(
  fc
    .dictionary(fc.nat(20).map(String), fc.record({ id: fc.uuid(), quantity: count, note: fc.option(text) }))
    .map((claims) => new Map(Object.entries(claims).map(([n, claim]) => [Number(n), claim]))),
);
const claimants: fc.Arbitrary<ClaimantRow[] | null> = fc.option(
  fc.array(
    fc.record({
      id: fc.uuid(),
      name: text,
      avatarUpload: fc.option(fc.uuid()),
      n: fc.nat(20),
      quantity: count,
      note: fc.option(text),
    }),
  ),
);
const publicUrl = 'https://events.example.org';
const kinds = fc.constantFrom('bring' as const, 'wish' as const, undefined);

test('a composed list equals the serialization by the response schema, also when its fragments are shared', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(fc.tuple(kinds, myClaims, claimants), { minLength: 1, maxLength: 4 }),
      async (rows, requests) => {
        const items = await serializeItems(rows);
        for (const [kind, myClaims, claimants] of requests) {
          const listed = rows.filter((row) => kind === undefined || row.kind === kind);
          const claimsOf = ({ n }: ItemRow) =>
            claimants?.filter((row) => row.n === n).map((row) => toClaimant(row, publicUrl));
          const data = listed.map((row) => toItem(row, myClaims, claimsOf(row)));
          const serialized = claimants && (await serializeClaimants(claimants, publicUrl));
          const composed = composeItemList(items, kind, myClaims, serialized);
          assert.equal(composed.toString(), Buffer.from(serializeList({ data })).toString());
        }
      },
    ),
  );
});

test('concurrent requests without a token share one text', async () => {
  const items = await serializeItems([]);
  assert.equal(composeItemList(items, 'wish', null, null), composeItemList(items, 'wish', null, null));
});
