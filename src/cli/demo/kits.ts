/** Lists that several gatherings have in common. */
import type { Thing } from './types.ts';

export const kits = {
  longTable: [
    {
      title: 'A main dish that feeds six',
      quantityNeeded: 6,
      emoji: '🍲',
      description: 'One of them vegan, please. Write on a note what is in it.',
    },
    { title: 'Salad in a big bowl', quantityNeeded: 4, emoji: '🥗' },
    { title: 'Bread and butter', quantityNeeded: 3, emoji: '🍞' },
    { title: 'Dessert', quantityNeeded: 4, emoji: '🍰', description: 'Nothing with nuts this time.' },
    { title: 'Cordial or juice, two litres', quantityNeeded: 5, emoji: '🧃' },
    {
      title: 'Folding chairs',
      quantityNeeded: 10,
      emoji: '🪑',
      description: 'We have twenty; ten more and nobody stands.',
    },
  ],
  picnic: [
    { title: 'Blanket', quantityNeeded: 5, emoji: '🧺' },
    { title: 'Something to grill', quantityNeeded: 8, emoji: '🌽' },
    { title: 'Charcoal, 2.5 kg', quantityNeeded: 2, emoji: '🔥' },
    { title: 'Fruit', quantityNeeded: 4, emoji: '🍓' },
    { title: 'Thermos of coffee', quantityNeeded: 4, emoji: '☕' },
    {
      title: 'Bin bags',
      quantityNeeded: 2,
      emoji: '🗑️',
      description: 'The park should look as if we had never been there.',
    },
  ],
  fika: [
    { title: 'Cinnamon buns, a dozen', quantityNeeded: 3, emoji: '🥐' },
    { title: 'Coffee, brewed', quantityNeeded: 3, emoji: '☕' },
    { title: 'Tea, several kinds', quantityNeeded: 2, emoji: '🫖' },
    { title: 'Oat milk', quantityNeeded: 3, emoji: '🥛' },
  ],
  gameNight: [
    { title: 'A game for five or more', quantityNeeded: 4, emoji: '🎲' },
    { title: 'A game that ends within half an hour', quantityNeeded: 4, emoji: '⏳' },
    {
      title: 'Popcorn',
      quantityNeeded: 3,
      emoji: '🍿',
      description: 'Salted. Butter and cards do not go together.',
    },
    { title: 'Soft drinks', quantityNeeded: 6, emoji: '🥤' },
  ],
  trail: [
    { title: 'Seats in a car from Korsvägen', quantityNeeded: 8, emoji: '🚗' },
    { title: 'Camping stove', quantityNeeded: 2, emoji: '🔥' },
    { title: 'Soup for four', quantityNeeded: 3, emoji: '🍜' },
    { title: 'First aid kit', quantityNeeded: 1, emoji: '🩹' },
  ],
  workbench: [
    { title: 'Screwdriver set', quantityNeeded: 3, emoji: '🪛' },
    { title: 'Soldering iron', quantityNeeded: 2, emoji: '🔌' },
    { title: 'Sewing machine', quantityNeeded: 2, emoji: '🧵', description: 'One that survives denim.' },
    { title: 'Inner tubes, 28 inches', quantityNeeded: 6, emoji: '🚲' },
  ],
  kitchenWishes: [
    {
      title: 'Cast-iron pan, 28 cm',
      quantityNeeded: 2,
      emoji: '🍳',
      link: 'https://shop.example/cast-iron-pan-28',
    },
    {
      title: 'Mixing bowls that stack',
      quantityNeeded: 1,
      emoji: '🥣',
      link: 'https://shop.example/mixing-bowls',
    },
    { title: 'Sharp bread knife', quantityNeeded: 2, emoji: '🔪', link: 'https://shop.example/bread-knife' },
    { title: 'Aprons, any colour', quantityNeeded: 8, emoji: '👩‍🍳' },
  ],
  clubWishes: [
    { title: 'Projector bulb', quantityNeeded: 1, emoji: '💡', link: 'https://shop.example/projector-bulb' },
    { title: 'Extension lead, 10 m', quantityNeeded: 3, emoji: '🔌' },
    { title: 'Whiteboard pens', quantityNeeded: 10, emoji: '🖊️' },
  ],
  gardenWishes: [
    { title: 'Bag of peat-free soil, 40 l', quantityNeeded: 12, emoji: '🪴' },
    { title: 'Watering can', quantityNeeded: 3, emoji: '🚿', link: 'https://shop.example/watering-can' },
    { title: 'Pruning shears', quantityNeeded: 2, emoji: '✂️', link: 'https://shop.example/pruning-shears' },
  ],
} satisfies Record<string, Thing[]>;
