/** Gatherings round a table. */
import type { Gathering } from './types.ts';

export const table: Gathering[] = [
  {
    title: 'The long table in Haga',
    about:
      'Sixty metres of tablecloth down the middle of Haga Nygata. Bring a dish that your family argues about and sit next to somebody you do not know. If it rains we move under the arches by the church.',
    host: 'mara',
    place: 'haga',
    when: [1, 'sat', '17:00', 5],
    category: 'food',
    template: 'potluck',
    bring: 'longTable',
    wish: 'kitchenWishes',
  },
  {
    title: 'Sourdough clinic',
    about:
      'Your starter is sluggish, your crumb is tight, your crust is pale? Bring the patient. We look at flour, water and time, and everybody goes home with a shaped loaf to bake in the morning.',
    host: 'mara',
    place: 'saluhallen',
    when: [0, 'tue', '18:00', 3],
    category: 'food',
    price: 180,
    capacity: 14,
    wish: 'kitchenWishes',
    bookings: [
      ['jonas', 2],
      ['elin', 1],
      ['henrik', 2],
    ],
  },
  {
    title: 'Aleppo supper: kibbeh four ways',
    about:
      'We fry, bake, poach and serve it raw, and I tell you which of my aunts is right. You cook with me from five, the table is set at seven. Vegetarians get pumpkin kibbeh, which is the best one anyway.',
    host: 'leila',
    place: 'selma',
    when: [1, 'fri', '17:00', 4],
    category: 'food',
    price: 290,
    capacity: 16,
    bring: [
      { title: 'Flat bread', quantityNeeded: 4, emoji: '🫓' },
      { title: 'Pomegranates', quantityNeeded: 6, emoji: '🍎' },
      { title: 'Mint, a big bunch', quantityNeeded: 3, emoji: '🌿' },
    ],
  },
  {
    title: 'Crayfish party on the quay',
    about:
      'Paper lanterns, silly hats, songs from the sheet. The crayfish are ordered; everything else is on the list. Singing is compulsory, hitting the note is not.',
    host: 'mara',
    place: 'dock',
    when: [3, 'sat', '18:30', 5],
    category: 'food',
    template: 'potluck',
    price: 220,
    capacity: 40,
    bring: [
      { title: 'Västerbotten pie', quantityNeeded: 5, emoji: '🥧' },
      { title: 'Dill crowns', quantityNeeded: 10, emoji: '🌿' },
      { title: 'Toast and butter for eight', quantityNeeded: 5, emoji: '🍞' },
      { title: 'Lanterns with a moon on them', quantityNeeded: 6, emoji: '🏮' },
    ],
  },
  {
    title: 'Pierogi assembly line',
    about:
      'Dough at one end, butter and onions at the other, and in between twelve people who learn to crimp. Two fillings: potato and curd, cabbage and mushroom. Bring a box for what you cannot finish.',
    host: 'petra',
    place: 'gamlestaden',
    when: [2, 'sun', '13:00', 4],
    category: 'food',
    template: 'potluck',
    price: 90,
    capacity: 12,
    bring: [
      { title: 'Rolling pin', quantityNeeded: 4, emoji: '🥖' },
      { title: 'Sour cream, 5 dl', quantityNeeded: 3, emoji: '🥛' },
      { title: 'Freezer boxes', quantityNeeded: 12, emoji: '🥡' },
    ],
  },
  {
    title: 'Herring tasting with the fishmongers',
    about:
      'Nine jars, from plain to downright odd, with new potatoes and an expert on each. We vote at the end. Last time mustard lost by one vote and there was talk of a recount.',
    host: 'henrik',
    place: 'feskekorka',
    when: [1, 'thu', '18:00', 2],
    category: 'food',
    price: 150,
    capacity: 24,
  },
  {
    title: 'Jam day at the allotments',
    about:
      'Gooseberries, currants and whatever else is ripe. We pick in the morning, boil in the afternoon, and divide the jars by how much you carried. Old clothes, please.',
    host: 'freja',
    place: 'slottsskogen',
    when: [2, 'sat', '10:00', 6],
    category: 'food',
    bring: [
      { title: 'Empty jars with lids', quantityNeeded: 60, emoji: '🫙' },
      { title: 'Sugar, 1 kg', quantityNeeded: 10, emoji: '🧂' },
      { title: 'Preserving pan, 10 l', quantityNeeded: 2, emoji: '🍲' },
    ],
    wish: 'gardenWishes',
  },
  {
    title: 'Night market of leftovers',
    about:
      'Restaurants in Majorna bring what they would throw away tonight; five cooks make it into plates at twenty kronor. Come hungry, bring your own box and fork.',
    host: 'leila',
    place: 'mariaplan',
    when: [0, 'fri', '20:00', 3],
    category: 'food',
    price: 20,
  },
  {
    title: 'Injera for beginners',
    about:
      'Three days of fermenting are done for you; what is left is the pour, the lid and the courage. We eat with our hands, and with berbere that does not apologise.',
    host: 'amina',
    place: 'hammarkullen',
    when: [3, 'sun', '14:00', 3],
    category: 'food',
    price: 120,
    capacity: 15,
  },
  {
    title: 'Coffee cupping before work',
    about:
      'Six roasts from the harbour roastery, slurped loudly from spoons. You leave wide awake and with words for what you like. Filter only, no milk, no shame.',
    host: 'carlos',
    place: 'lindholmen',
    when: [1, 'wed', '07:00', 1.25],
    category: 'food',
    price: 60,
    capacity: 10,
  },
  {
    title: 'Mushroom walk with a pan at the end',
    about:
      'Two hours in the woods with somebody who has survived every mushroom so far, then butter, toast and the day’s find. Baskets rather than bags. Children welcome if they like moss.',
    host: 'freja',
    place: 'skatas',
    when: [4, 'sat', '09:30', 5],
    category: 'food',
    capacity: 18,
    bring: 'trail',
  },
  {
    title: 'Vegan barbecue, louder than the other one',
    about:
      'Smoked aubergine, corn with lime, peaches on the grill. The meat eaters meet by the pond at the same time; at nine we compare, and last year they came over to us.',
    host: 'leila',
    place: 'slottsskogen',
    when: [2, 'fri', '17:30', 4],
    category: 'food',
    template: 'picnic',
    bring: 'picnic',
  },
  {
    title: 'Dumplings and dice',
    about:
      'You roll a die, it says what goes into the next dumpling. Most combinations work. We keep a list of those that do not.',
    host: 'yuki',
    place: 'konstepidemin',
    when: [4, 'fri', '18:30', 3.5],
    category: 'food',
    template: 'potluck',
    price: 110,
    capacity: 16,
    bring: [
      { title: 'Bamboo steamer', quantityNeeded: 3, emoji: '🥟' },
      {
        title: 'A filling that is a secret',
        quantityNeeded: 6,
        emoji: '🤫',
        description: 'Label the allergens, not the secret.',
      },
      { title: 'Soy sauce', quantityNeeded: 2, emoji: '🍶' },
    ],
  },
  {
    title: 'Midnight soup on Järntorget',
    about:
      'A hundred litres of lentil soup for whoever comes out of the concerts, and for whoever has nowhere to go in to. Helpers from ten, soup from midnight until it is gone.',
    host: 'mara',
    place: 'folkteatern',
    when: [5, 'fri', '22:00', 4],
    category: 'food',
    bring: [
      { title: 'Red lentils, 1 kg', quantityNeeded: 12, emoji: '🍲' },
      { title: 'Carrots, 2 kg', quantityNeeded: 6, emoji: '🥕' },
      { title: 'Loaf of bread', quantityNeeded: 15, emoji: '🍞' },
      { title: 'Two hours of ladling', quantityNeeded: 6, emoji: '🥄' },
    ],
  },
  {
    title: 'Cheese from one litre of milk',
    about:
      'You heat, you wait, you stretch, and after ninety minutes you hold a mozzarella that you made yourself. Tomatoes and basil are on us.',
    host: 'mara',
    place: 'saluhallen',
    when: [4, 'tue', '18:00', 2],
    category: 'food',
    price: 210,
    capacity: 12,
    bookings: [
      ['leila', 4],
      ['tomek', 4],
      ['freja', 3],
      ['yuki', 1],
      ['alva', 2],
      ['jonas', 1],
    ],
  },
  {
    title: 'Harvest supper at Angereds torg',
    about:
      'The gardens of Angered empty their beds, the community kitchen lights every stove, and the whole square eats. Somebody always brings a drum.',
    host: 'amina',
    place: 'angered',
    when: [6, 'sat', '16:00', 5],
    category: 'food',
    template: 'potluck',
    bring: 'longTable',
    wish: 'gardenWishes',
  },
  {
    title: 'Tasting menu for the new kitchen team',
    about:
      'Closed rehearsal for Saturday. We cook all seven courses once, eat them cold and write down what to change.',
    host: 'mara',
    place: 'saluhallen',
    when: [1, 'mon', '17:30', 4],
    category: 'food',
    visibility: 'private',
    bring: [{ title: 'A notebook', quantityNeeded: 6, emoji: '📓' }],
  },
];
