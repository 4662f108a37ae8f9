/** Music, arts and film. */
import type { Gathering } from './types.ts';

export const stage: Gathering[] = [
  {
    title: 'Trombones at sunset',
    about:
      'Eleven trombones on a floating stage, and the sun goes down behind Älvsborgsbron at exactly the right bar. Bring something to sit on. Free, with a hat.',
    host: 'sofia',
    place: 'rodasten',
    when: [0, 'sat', '20:00', 2],
    category: 'music',
    template: 'concert',
  },
  {
    title: 'Open stage at Oceanen',
    about:
      'Three songs each, two microphones, one piano that is nearly in tune. The list opens at half past six. The audience here has never let anybody down.',
    host: 'sofia',
    place: 'oceanen',
    when: [1, 'wed', '19:00', 3],
    category: 'music',
    price: 40,
  },
  {
    title: 'Nordic jazz, three ways',
    about:
      'A trio from Bergen, a quartet from Aarhus, and the house band with a new drummer. One ticket, three sets, long breaks at the bar.',
    host: 'oskar',
    place: 'musikenshus',
    when: [2, 'thu', '19:30', 4],
    category: 'music',
    template: 'concert',
    price: 220,
    capacity: 180,
  },
  {
    title: 'Learn a polska in an hour',
    about:
      'The fiddlers play slowly, the dancers count aloud, and by the end the floor goes round. Partners change with every tune, so come alone if you like.',
    host: 'sofia',
    place: 'folkteatern',
    when: [3, 'tue', '18:30', 2.5],
    category: 'music',
    price: 80,
  },
  {
    title: 'Bring your own vinyl: the B sides',
    about:
      'Everybody brings one record and plays the side that nobody knows. Two minutes of story, then the needle goes down. The host cleans your record first, whether you like it or not.',
    host: 'nour',
    place: 'hagabion',
    when: [1, 'sun', '19:00', 3],
    category: 'music',
    bring: [
      { title: 'A record with a good B side', quantityNeeded: 12, emoji: '💿' },
      { title: 'Crisps', quantityNeeded: 4, emoji: '🥔' },
    ],
  },
  {
    title: 'Choir without auditions',
    about:
      'Four parts, two songs, one evening. If you can hum you can stay. We end with a small concert for the people in the stairwell.',
    host: 'sofia',
    place: 'masthugget',
    when: [2, 'mon', '18:30', 2.5],
    category: 'music',
    bring: 'fika',
  },
  {
    title: 'Synth repair and noise',
    about:
      'Half workshop, half concert. Bring the keyboard with the dead key; while it lies open on the bench we play with what still works.',
    host: 'tomek',
    place: 'ringon',
    when: [4, 'sat', '15:00', 5],
    category: 'music',
    bring: 'workbench',
  },
  {
    title: 'Concert in the palm house',
    about:
      'A string quartet among the bananas. It is warm and damp in there, and the cellist has asked that nobody waters anything during the slow movement.',
    host: 'alva',
    place: 'tradgarden',
    when: [3, 'sun', '15:00', 1.5],
    category: 'music',
    template: 'concert',
    price: 160,
    capacity: 70,
  },
  {
    title: 'Hip-hop for under-eighteens',
    about:
      'Beats, breaks and one stage. Write in the afternoon, perform at seven, and your parents may come in for the last half hour.',
    host: 'amina',
    place: 'hammarkullen',
    when: [5, 'sat', '13:00', 7],
    category: 'music',
  },
  {
    title: 'Salsa on the pier',
    about:
      'Beginners from six, everybody from seven, and a live band for the last hour. Wear shoes that slide. If the wind is up we dance closer.',
    host: 'carlos',
    place: 'frihamnen',
    when: [2, 'sat', '18:00', 4],
    category: 'party',
    price: 70,
    wish: 'clubWishes',
  },
  {
    title: 'Raku firing in the yard',
    about:
      'You glaze in the afternoon, we pull the pots out red-hot at dusk, and the smoke does the rest. No two come out alike. Cotton clothes, long hair tied back.',
    host: 'yuki',
    place: 'konstepidemin',
    when: [1, 'sat', '14:00', 7],
    category: 'arts',
    price: 350,
    capacity: 12,
    bring: [
      { title: 'Dry leaves, a sack', quantityNeeded: 4, emoji: '🍂' },
      { title: 'Heat-proof gloves', quantityNeeded: 3, emoji: '🧤' },
      { title: 'Dinner for the kiln watch', quantityNeeded: 2, emoji: '🍛' },
    ],
  },
  {
    title: 'Drawing in the museum after hours',
    about:
      'The doors close, the lights stay on, and you have the Nordic rooms to yourself with pencil and board. A model sits under the Zorn. No paint, please; the floors are older than we are.',
    host: 'yuki',
    place: 'museum',
    when: [2, 'wed', '18:00', 2.5],
    category: 'arts',
    price: 120,
    capacity: 25,
  },
  {
    title: 'Poetry slam, first round',
    about:
      'Three minutes, no props, no music, five judges who were picked at the door. The winner gets a cactus and a place in the final.',
    host: 'nour',
    place: 'pustervik',
    when: [0, 'thu', '19:00', 3],
    category: 'arts',
    price: 60,
    capacity: 150,
  },
  {
    title: 'Mural day under the bridge',
    about:
      'Ninety square metres of grey wall, the permission in writing, and paint for fifty people. The outline is by a girl of nine who won the contest; you fill it in.',
    host: 'david',
    place: 'rodasten',
    when: [4, 'sun', '11:00', 6],
    category: 'arts',
    bring: [
      { title: 'Ladder', quantityNeeded: 4, emoji: '🪜' },
      { title: 'Paint rollers', quantityNeeded: 15, emoji: '🖌️' },
      { title: 'Old sheets for the ground', quantityNeeded: 10, emoji: '🛏️' },
      { title: 'Lunch for the painters', quantityNeeded: 5, emoji: '🥪' },
    ],
  },
  {
    title: 'Bookbinding with one needle',
    about:
      'Paper, thread, a bone folder and three hours. You leave with a notebook that lies flat. I bring tools for all; bring paper that you would like to keep.',
    host: 'yuki',
    place: 'library',
    when: [5, 'wed', '17:30', 3],
    category: 'arts',
    price: 95,
    capacity: 14,
  },
  {
    title: 'Theatre in ten minutes',
    about:
      'Twelve new plays of ten minutes each, written since Monday. Some will be wonderful, two will be terrible, and all of them will be short.',
    host: 'nour',
    place: 'folkteatern',
    when: [6, 'fri', '19:00', 3],
    category: 'arts',
    price: 130,
    capacity: 90,
  },
  {
    title: 'Embroidery for impatient people',
    about:
      'Big stitches, thick thread, quick results. We mend jackets with flowers and cover stains with birds. Men are as welcome as anybody and usually better than they think.',
    host: 'freja',
    place: 'frolunda',
    when: [3, 'wed', '18:00', 2.5],
    category: 'arts',
    bring: 'fika',
  },
  {
    title: 'Outdoor cinema: bring a blanket',
    about:
      'A screen between two birches and a film that is better than its title. We start when it is dark enough, which is when the bats come out.',
    host: 'nour',
    place: 'keiller',
    when: [1, 'fri', '21:00', 2.5],
    category: 'film',
    bring: 'picnic',
    wish: 'clubWishes',
  },
  {
    title: 'Silent film, loud piano',
    about:
      'Körkarlen from 1921 with a score improvised on the spot. The pianist has not seen the film on purpose.',
    host: 'nour',
    place: 'hagabion',
    when: [4, 'thu', '19:00', 2],
    category: 'film',
    price: 110,
    capacity: 88,
  },
  {
    title: 'Short films from Angered',
    about:
      'Nine films shot on phones by people who live within walking distance of the screen. The directors stay and talk. Dinner after, cooked by the parents of at least three of them.',
    host: 'amina',
    place: 'angered',
    when: [2, 'fri', '18:00', 3],
    category: 'film',
  },
  {
    title: 'Rough cut: tell me where you got bored',
    about:
      'I show eighty minutes of an unfinished documentary about the last shipyard, you press a clicker whenever your mind wanders. It hurts, and it helps.',
    host: 'nour',
    place: 'varldskultur',
    when: [3, 'mon', '18:30', 2.5],
    category: 'film',
    visibility: 'unlisted',
    capacity: 20,
  },
];
