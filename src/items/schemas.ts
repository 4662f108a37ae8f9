import { type Static, Type } from 'typebox';
import {
  body,
  emojiPattern,
  httpUrl,
  nullable,
  oneOf,
  prose,
  ref,
  shared,
  text,
  timestamp,
} from '../http/schemas.ts';

export const kinds = ['bring', 'wish'] as const;
export type Kind = (typeof kinds)[number];

export const ItemParams = Type.Object({
  id: Type.String({ description: "The item's id.", examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
});

export const ItemListQuery = Type.Object({ kind: Type.Optional(oneOf(kinds)) });

const core = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
  title: Type.String({ examples: ['Sourdough bread'] }),
  kind: oneOf(kinds, { description: '`bring`: what guests bring; `wish`: a wish-list.' }),
  quantityNeeded: Type.Integer({ examples: [3] }),
  quantityClaimed: Type.Integer({ examples: [2] }),
};

/** Spec 2.6 */
export const Item = shared(
  'Item',
  Type.Object({
    ...core,
    description: Type.Optional(Type.String({ description: 'Absent when not set.' })),
    emoji: Type.String({ examples: ['🍞'] }),
    imageUrl: nullable(Type.String()),
    link: nullable(Type.String({ description: 'Where to buy it.' })),
    myClaim: Type.Optional(
      nullable(Type.Object({ id: Type.String(), quantity: Type.Integer() }), {
        description: "The caller's claim, null when there is none; absent without a token.",
      }),
    ),
  }),
);
export type Item = Static<typeof Item>;

/** Spec 4.15, what it answers */
export const AddedItem = shared('AddedItem', Type.Object(core));
export type AddedItem = Static<typeof AddedItem>;
export const ItemList = Type.Object({ data: Type.Array(ref(Item)) });

export const NewItem = body(
  {
    title: text(1, 120, { examples: ['Sourdough bread'] }),
    kind: oneOf(kinds),
    quantityNeeded: Type.Integer({ minimum: 1, maximum: 10_000, examples: [3] }),
    description: Type.Optional(prose(1_000)),
    emoji: Type.Optional(
      Type.String({ format: 'grapheme', maxLength: 32, pattern: emojiPattern, examples: ['🍞'] }),
    ),
    link: Type.Optional(httpUrl()),
  },
  { examples: [{ title: 'Sourdough bread', kind: 'bring', quantityNeeded: 3, emoji: '🍞' }] },
);
export type NewItem = Static<typeof NewItem>;

/** Whatever is above what is left is the 422, so the schema sets no maximum. */
export const ClaimRequest = body(
  { quantity: Type.Integer({ minimum: 1, examples: [2] }) },
  { examples: [{ quantity: 2 }] },
);

/** Spec 2.7 */
export const Claim = shared(
  'Claim',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0c1'] }),
    itemId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
    userId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
    quantity: Type.Integer({ examples: [2] }),
    createdAt: timestamp(),
  }),
);
export type Claim = Static<typeof Claim>;
