import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../http/cursors.ts';
import {
  anyServerText,
  body,
  emojiPattern,
  httpUrl,
  listOf,
  named,
  nullable,
  oneOf,
  prose,
  ref,
  text,
  timestamp,
} from '../../http/schemas.ts';
import { Template } from '../events/catalogue-schemas.ts';
import { Person } from '../people/schemas.ts';

export const kinds = ['bring', 'wish'] as const;
export type Kind = (typeof kinds)[number];

export const ItemParams = Type.Object({
  id: Type.String({
    description: 'The id of the item.',
    examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'],
  }),
});

export const ItemListQuery = Type.Object({ kind: Type.Optional(oneOf(kinds)) });

const core = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
  title: Type.String({ examples: ['Sourdough bread'] }),
  kind: oneOf(kinds, {
    description: '`bring`: guests bring the item; `wish`: the item is on the wish list.',
  }),
  quantityNeeded: Type.Integer({ examples: [3] }),
  quantityClaimed: Type.Integer({ examples: [2] }),
};

/** How much of an item a person brings. */
const pledge = {
  quantity: Type.Integer({ examples: [2] }),
  note: Type.Optional(
    Type.String({
      description: 'What exactly the person brings. Absent if not set.',
      examples: ['Lasagne, vegan'],
    }),
  ),
};

const Claimant = Type.Object({
  name: Type.String({ examples: ['Mara Lindgren'] }),
  avatar: Type.String({ description: 'Address of an image.' }),
  ...pledge,
});
export type Claimant = Static<typeof Claimant>;

/** Specification 2.6 */
export const Item = named(
  'Item',
  Type.Object({
    ...core,
    description: Type.Optional(Type.String({ description: 'Absent if not set.' })),
    emoji: Type.String({ examples: ['🍞'] }),
    imageUrl: nullable(Type.String({ description: `Address of a picture of the item. ${anyServerText}` })),
    version: Type.String({
      description:
        'Changes with the fields that PATCH changes. `If-Match: "VERSION"` makes a PATCH or DELETE of the item a 412 if ' +
        'it has changed.',
      examples: ['JbN1s4mUPPqG5bY6'],
    }),
    claimsVersion: Type.Integer({
      description:
        'Rises with each change of the claims on the item, also if `quantityClaimed` stays. A client that shows `claims` ' +
        'reads the items again when the live stream reports another number.',
      examples: [7],
    }),
    link: nullable(Type.String({ description: 'Address of a page where the item can be bought.' })),
    myClaim: Type.Optional(
      nullable(Type.Object({ id: Type.String(), ...pledge }), {
        description: "The caller's claim; null without a claim, absent without a token.",
      }),
    ),
    claims: Type.Optional(
      Type.Array(Claimant, {
        description:
          'Who brings the item: up to 10 people, by the age of their accounts. Absent if `claimantVisibility` of ' +
          'the event does not include the caller, and in the live stream.',
      }),
    ),
  }),
);
export type Item = Static<typeof Item>;

/** Response of specification 4.15 */
export const AddedItem = named('AddedItem', Type.Object(core));
export type AddedItem = Static<typeof AddedItem>;
export const ItemList = listOf(Item);

const fields = {
  title: text(1, 120, { examples: ['Sourdough bread'] }),
  description: prose(1_000),
  emoji: Type.String({ format: 'grapheme', maxLength: 32, pattern: emojiPattern, examples: ['🍞'] }),
  imageUrl: nullable(httpUrl(), {
    description: `Address of a picture of the item; null for no picture. ${anyServerText}`,
  }),
  link: httpUrl(),
  quantityNeeded: Type.Integer({ minimum: 1, maximum: 10_000, examples: [3] }),
};

export const NewItem = body(
  {
    title: fields.title,
    kind: oneOf(kinds),
    quantityNeeded: fields.quantityNeeded,
    description: Type.Optional(nullable(fields.description)),
    emoji: Type.Optional(nullable(fields.emoji, { description: 'Null or left out: that of the kind.' })),
    imageUrl: Type.Optional(fields.imageUrl),
    link: Type.Optional(nullable(fields.link)),
  },
  { examples: [{ title: 'Sourdough bread', kind: 'bring', quantityNeeded: 3, emoji: '🍞' }] },
);
export type NewItem = Static<typeof NewItem>;

/** The maximum number of items in a batch. */
const maxBatchSize = 100;
/** In the largest valid batch: the body, the list, and each item with its fields. */
export const maxBatchValues = 2 + maxBatchSize * (1 + Object.keys(NewItem.properties).length);

export const NewItems = body(
  { items: Type.Array(NewItem, { minItems: 1, maxItems: maxBatchSize }) },
  {
    examples: [
      {
        items: [
          { title: 'Sourdough bread', kind: 'bring', quantityNeeded: 3, emoji: '🍞' },
          { title: 'Lemonade', kind: 'bring', quantityNeeded: 2, description: 'Two litres each' },
        ],
      },
    ],
  },
);
export const AddedItems = listOf(AddedItem);

/** An item that a template suggests: fields of a new item. */
const SuggestedItem = named(
  'SuggestedItem',
  Type.Object({
    title: Type.String({ examples: ['Main dish'] }),
    kind: oneOf(kinds),
    quantityNeeded: Type.Integer({ examples: [4] }),
    emoji: Type.String({ examples: ['🍲'] }),
  }),
);
export type SuggestedItem = Static<typeof SuggestedItem>;

const TemplateWithItems = named(
  'TemplateWithItems',
  Type.Object({ ...Template.properties, items: Type.Array(ref(SuggestedItem)) }),
);
export const TemplateList = listOf(TemplateWithItems);

/** The kind of an item cannot change. */
export const ItemChange = Type.Partial(
  body({
    ...fields,
    description: nullable(fields.description, { description: 'Null removes it.' }),
    emoji: nullable(fields.emoji, { description: 'Null: that of the kind.' }),
    link: nullable(fields.link, { description: 'Null removes it.' }),
    quantityNeeded: {
      ...fields.quantityNeeded,
      description: 'Cannot be lower than the quantity already claimed.',
    },
  }),
  { additionalProperties: false, examples: [{ quantityNeeded: 5, description: null }] },
);
export type ItemChange = Static<typeof ItemChange>;

export const note = text(1, 140, { examples: ['Lasagne, vegan'] });

const claimFields = {
  /** No maximum: a quantity above the quantity left results in a 422, not an invalid request. */
  quantity: Type.Integer({ minimum: 1, examples: [2] }),
  note,
};

export const NewClaim = body(
  {
    quantity: claimFields.quantity,
    note: Type.Optional(
      nullable(claimFields.note, { description: 'What exactly the caller brings. Null: not set.' }),
    ),
  },
  { examples: [{ quantity: 2, note: 'Lasagne, vegan' }] },
);

export const ClaimChange = Type.Partial(
  body({
    quantity: claimFields.quantity,
    note: nullable(claimFields.note, { description: 'What exactly the caller brings. Null removes it.' }),
  }),
  { additionalProperties: false, examples: [{ quantity: 3, note: 'Lasagne, vegan' }] },
);
export type ClaimChange = Static<typeof ClaimChange>;

/** Specification 2.7 */
export const Claim = named(
  'Claim',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0c1'] }),
    itemId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
    userId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
    ...pledge,
    createdAt: timestamp(),
  }),
);
export type Claim = Static<typeof Claim>;

export const ClaimListQuery = Type.Object(cursorQuery);

/** A claim with the person who made it, for the organizer of the event. */
export const GivenClaim = named(
  'GivenClaim',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0c1'] }),
    itemId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
    user: ref(Person),
    ...pledge,
    createdAt: timestamp(),
  }),
);
export type GivenClaim = Static<typeof GivenClaim>;
export const ClaimPage = cursorPage(GivenClaim);
