/** Learning, technology and the neighbourhood. */
import type { Gathering } from './types.ts';

export const together: Gathering[] = [
  {
    title: 'Swedish over soup',
    about:
      'Intermediate and upwards, ninety minutes of talking, no book. Each table has a topic and one person who grew up here and promises not to switch to English.',
    host: 'jonas',
    place: 'selma',
    when: [1, 'tue', '17:30', 2],
    category: 'learning',
    bring: [
      { title: 'Pot of soup', quantityNeeded: 2, emoji: '🍲' },
      { title: 'Crispbread and cheese', quantityNeeded: 2, emoji: '🧀' },
    ],
  },
  {
    title: 'How to read your pay slip',
    about:
      'Tax tables, holiday pay, pension: line by line, with examples and a union lawyer. Bring yours, with the name covered.',
    host: 'david',
    place: 'hammarkullen',
    when: [2, 'mon', '18:00', 2],
    category: 'learning',
  },
  {
    title: 'Knots that hold',
    about:
      'Seven knots in two hours, tied until you can do them behind your back. Rope is provided, and yours to keep.',
    host: 'henrik',
    place: 'dock',
    when: [3, 'thu', '18:00', 2],
    category: 'learning',
    price: 40,
    capacity: 24,
  },
  {
    title: 'First aid for cyclists',
    about:
      'Helmets off safely, bleeding, breathing, whom to call and what to say. Certified, two hours, hands on.',
    host: 'amina',
    place: 'kviberg',
    when: [4, 'wed', '18:00', 2.5],
    category: 'learning',
    price: 150,
    capacity: 20,
  },
  {
    title: 'Ask an astronomer anything',
    about:
      'From Onsala, in person, for as long as the coffee lasts. Children ask first. There are no stupid questions about black holes, only unanswered ones.',
    host: 'alva',
    place: 'library',
    when: [6, 'thu', '17:30', 2],
    category: 'learning',
    bring: 'fika',
  },
  {
    title: 'PostgreSQL without fear: reading a query plan',
    about:
      'We take three slow queries from the audience and make them fast, in public, without knowing in advance whether we can. Laptops welcome, slides forbidden.',
    host: 'petra',
    place: 'lindholmen',
    when: [1, 'tue', '17:30', 3],
    category: 'tech',
    template: 'meetup',
    capacity: 80,
    bring: 'fika',
    wish: 'clubWishes',
  },
  {
    title: 'Hack the bus timetable',
    about:
      'Open data, one Saturday, prizes for the most useful and the most useless result. Last time somebody made the ferries play a tune.',
    host: 'petra',
    place: 'lindholmen',
    when: [3, 'sat', '09:00', 10],
    category: 'tech',
    template: 'meetup',
    capacity: 60,
    bring: [
      { title: 'Extension lead', quantityNeeded: 6, emoji: '🔌' },
      { title: 'Whiteboard', quantityNeeded: 2, emoji: '🧑‍🏫' },
      { title: 'Fruit for the night shift', quantityNeeded: 4, emoji: '🍏' },
    ],
  },
  {
    title: 'Small web, big harbour',
    about:
      'A one-day conference about websites that fit on a floppy disk. Eight talks of twenty minutes, one long lunch, and a demo hall where everything is hand-made.',
    host: 'petra',
    place: 'lindholmen',
    when: [6, 'fri', '09:00', 8],
    category: 'tech',
    template: 'conference',
    price: 490,
    capacity: 200,
  },
  {
    title: 'Install party: give the old laptop ten more years',
    about:
      'Bring it with its charger and a backup. Leave with something that boots in nine seconds and owes nobody anything.',
    host: 'alva',
    place: 'ringon',
    when: [5, 'thu', '17:00', 4],
    category: 'tech',
    bring: 'workbench',
  },
  {
    title: 'Women in backend: salary talk, off the record',
    about:
      'Numbers on anonymous cards, then an open conversation. What is said in the room stays in the room. You may come just to listen.',
    host: 'petra',
    place: 'gamlestaden',
    when: [4, 'tue', '18:00', 2.5],
    category: 'tech',
    template: 'meetup',
    visibility: 'unlisted',
  },
  {
    title: 'Clothes swap: five in, five out',
    about:
      'Clean, whole and worth wearing. What is left at six goes to the women’s shelter. Mirrors, tea and honest opinions included.',
    host: 'freja',
    place: 'mariaplan',
    when: [0, 'sat', '12:00', 5],
    category: 'community',
    bring: [
      { title: 'Clothes rail', quantityNeeded: 3, emoji: '👗' },
      { title: 'Hangers, twenty', quantityNeeded: 5, emoji: '🧥' },
      { title: 'Full-length mirror', quantityNeeded: 2, emoji: '🪞' },
    ],
  },
  {
    title: 'Neighbours’ assembly: what becomes of the slaughterhouse yard',
    about:
      'The city shows its plan, we show ours. Two hours, a moderator from outside, and every question written on the wall until it is answered.',
    host: 'david',
    place: 'slakthuset',
    when: [2, 'wed', '18:30', 2.5],
    category: 'community',
  },
  {
    title: 'Newcomers’ walk through Haga',
    about:
      'For everybody who moved here this year. Ninety minutes, nine stories, the biggest cinnamon bun in town, and at least one phone number of somebody nice.',
    host: 'jonas',
    place: 'haga',
    when: [1, 'sat', '11:00', 2],
    category: 'community',
  },
  {
    title: 'Blood, sweat and elderflower',
    about:
      'The blood bus parks on the square; we provide the cordial, the deck chairs and the applause. Eat well before.',
    host: 'alva',
    place: 'frolunda',
    when: [3, 'fri', '12:00', 5],
    category: 'community',
    bring: [
      { title: 'Elderflower cordial', quantityNeeded: 6, emoji: '🧃' },
      { title: 'Deck chairs', quantityNeeded: 8, emoji: '🪑' },
      { title: 'Sandwiches, ten', quantityNeeded: 4, emoji: '🥪' },
    ],
  },
  {
    title: 'Packing parcels for the shelters',
    about:
      'Four hundred boxes, one conveyor of people. Music, gloves and a foreman with a megaphone. Children count socks; they are better at it than we are.',
    host: 'amina',
    place: 'angered',
    when: [7, 'sat', '10:00', 5],
    category: 'community',
    bring: [
      { title: 'Packing tape', quantityNeeded: 20, emoji: '📦' },
      { title: 'Knitted socks, pairs', quantityNeeded: 60, emoji: '🧦' },
      { title: 'Toothbrushes, packs of ten', quantityNeeded: 15, emoji: '🪥' },
      { title: 'Lunch for twenty', quantityNeeded: 2, emoji: '🍛' },
    ],
    wish: [{ title: 'Children’s mittens, pairs', quantityNeeded: 80, emoji: '🧤' }],
  },
  {
    title: 'Farewell drinks for the old ferry',
    about:
      'She makes her last crossing at seven. We stand on the quay with a brass band and something warm in the cup.',
    host: 'henrik',
    place: 'dock',
    when: [5, 'wed', '18:00', 3],
    category: 'other',
  },
  {
    title: 'The great umbrella amnesty',
    about:
      'Bring back the umbrella that is not yours. No questions. Those that nobody claims are given out when it next rains, so, soon.',
    host: 'nour',
    place: 'hagabion',
    when: [2, 'tue', '16:00', 3],
    category: 'other',
  },
];
