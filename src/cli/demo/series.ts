/** What happens again and again. */
import type { Series } from './types.ts';

export const series: Series[] = [
  {
    title: 'Sunday potluck at Röda Sten',
    about:
      'One table, no menu, whoever comes. Put your dish down, say in one sentence what it is, and eat everybody else’s.',
    host: 'mara',
    place: 'rodasten',
    category: 'food',
    template: 'potluck',
    bring: 'longTable',
    dates: [
      { when: [0, 'sun', '16:00', 4], wish: 'kitchenWishes' },
      { when: [1, 'sun', '16:00', 4], title: 'Sunday potluck at Röda Sten: things in pastry' },
      {
        when: [2, 'sun', '16:00', 4],
        title: 'Sunday potluck at Röda Sten: what grandmother would not have eaten',
      },
      { when: [3, 'sun', '16:00', 4], title: 'Sunday potluck at Röda Sten: only orange food' },
      { when: [4, 'sun', '16:00', 4] },
      { when: [5, 'sun', '16:00', 4], title: 'Sunday potluck at Röda Sten: soups' },
      { when: [6, 'sun', '16:00', 4] },
      { when: [7, 'sun', '16:00', 4], title: 'Sunday potluck at Röda Sten: leftovers of eight weeks' },
    ],
  },
  {
    title: 'Board games on Tuesdays',
    about:
      'Four tables, forty boxes, somebody who explains. Come alone, you will not stay alone. Last boxes are opened at nine, so that everybody catches the tram.',
    host: 'tomek',
    place: 'oceanen',
    category: 'games',
    bring: 'gameNight',
    dates: [
      { when: [0, 'tue', '18:00', 4] },
      { when: [1, 'tue', '18:00', 4], title: 'Board games on Tuesdays: co-operative night' },
      { when: [2, 'tue', '18:00', 4] },
      { when: [3, 'tue', '18:00', 4], title: 'Board games on Tuesdays: two-player evening' },
      { when: [4, 'tue', '18:00', 4] },
      { when: [5, 'tue', '18:00', 4], title: 'Board games on Tuesdays: games from before 1990' },
      { when: [6, 'tue', '18:00', 4], cancelled: true },
      { when: [7, 'tue', '18:00', 4] },
    ],
  },
  {
    title: 'Parkrun, but slower',
    about:
      'Five kilometres at the speed of a conversation. The last one in chooses the café. No watches, no registration, any shoes.',
    host: 'amina',
    place: 'skatas',
    category: 'sports',
    dates: [
      { when: [0, 'sat', '09:00', 1.5] },
      { when: [1, 'sat', '09:00', 1.5] },
      { when: [2, 'sat', '09:00', 1.5], title: 'Parkrun, but slower: with prams' },
      { when: [3, 'sat', '09:00', 1.5] },
      { when: [4, 'sat', '09:00', 1.5], title: 'Parkrun, but slower: with dogs' },
      { when: [5, 'sat', '09:00', 1.5] },
      { when: [6, 'sat', '09:00', 1.5] },
    ],
  },
  {
    title: 'Repair café on Ringön',
    about:
      'Toasters, trousers, bicycles, lamps. You sit beside whoever mends it and hold the other end. Free; the tin by the door is for solder and thread.',
    host: 'david',
    place: 'ringon',
    category: 'community',
    bring: 'workbench',
    dates: [
      { when: [0, 'sun', '12:00', 4] },
      { when: [2, 'sun', '12:00', 4], title: 'Repair café on Ringön: bicycles only' },
      { when: [4, 'sun', '12:00', 4] },
      { when: [6, 'sun', '12:00', 4], title: 'Repair café on Ringön: everything with a zip' },
    ],
  },
  {
    title: 'Film club',
    about: 'One film, one introduction of three minutes, one argument afterwards. Members bring the sweets.',
    host: 'nour',
    place: 'hagabion',
    category: 'film',
    price: 75,
    capacity: 60,
    dates: [
      {
        when: [0, 'mon', '19:00', 3],
        title: 'Film club: Bicycle Thieves',
        about:
          'Rome, 1948: a man, a boy, a bicycle. Bring a handkerchief and an opinion on the ending. The introduction is by somebody whose bicycle was stolen on Tuesday.',
      },
      {
        when: [1, 'mon', '19:00', 3],
        title: 'Film club: The Seventh Seal',
        about:
          'Death plays chess, and he is funnier than you remember. Introduced by a priest who plays too. There is a board in the foyer if you want to try your luck.',
      },
      {
        when: [2, 'mon', '19:00', 3],
        title: 'Film club: Tokyo Story',
        about:
          'Nothing happens and you will cry. A couple visit their children, who are busy: that is all, and it is everything. Green tea in the break.',
      },
      {
        when: [3, 'mon', '19:00', 3],
        title: 'Film club: Black Orpheus',
        about:
          'Carnival, myth and the best soundtrack of 1959. Dancing in the foyer is tolerated. Introduced by our man on the cuíca.',
      },
      {
        when: [4, 'mon', '19:00', 3],
        title: 'Film club: Cleo from 5 to 7',
        about:
          'Ninety minutes in almost ninety minutes. A singer waits for a doctor’s call and crosses Paris on foot. We walk home together afterwards.',
      },
      {
        when: [5, 'mon', '19:00', 3],
        title: 'Film club: The Apu trilogy, part one',
        about:
          'Pather Panchali from a restored print. A village, a train, a sister and her little brother. Parts two and three if you insist, and you will.',
      },
    ],
  },
  {
    title: 'Language café',
    about:
      'Swap half an hour of yours for half an hour of theirs. Badges at the door say what you speak and what you would like to.',
    host: 'jonas',
    place: 'library',
    category: 'learning',
    bring: 'fika',
    dates: [
      { when: [0, 'thu', '17:00', 2] },
      { when: [1, 'thu', '17:00', 2] },
      { when: [2, 'thu', '17:00', 2], title: 'Language café: Spanish corner' },
      { when: [3, 'thu', '17:00', 2] },
      { when: [4, 'thu', '17:00', 2], title: 'Language café: sign language for beginners' },
      { when: [5, 'thu', '17:00', 2] },
    ],
  },
  {
    title: 'Salsa Thursdays',
    about:
      'An hour of class, two hours of floor. Change partners, keep the smile. You need no partner, no experience and no special shoes; water is free, and the fan is on our side.',
    host: 'carlos',
    place: 'gamlestaden',
    category: 'music',
    price: 60,
    capacity: 50,
    dates: [
      { when: [0, 'thu', '19:00', 3] },
      { when: [1, 'thu', '19:00', 3] },
      { when: [3, 'thu', '19:00', 3], title: 'Salsa Thursdays: rueda night' },
      { when: [4, 'thu', '19:00', 3] },
      { when: [6, 'thu', '19:00', 3], title: 'Salsa Thursdays: live band', price: 120 },
    ],
  },
  {
    title: 'Open wheel at the pottery',
    about:
      'Five wheels, as much clay as you can centre, help when you want it. Fired pieces can be fetched after two weeks.',
    host: 'yuki',
    place: 'konstepidemin',
    category: 'arts',
    price: 160,
    capacity: 5,
    dates: [
      { when: [0, 'wed', '17:00', 3] },
      { when: [1, 'wed', '17:00', 3] },
      { when: [3, 'wed', '17:00', 3] },
      { when: [5, 'wed', '17:00', 3], title: 'Open wheel at the pottery: handles and spouts' },
    ],
  },
  {
    title: 'Data & Dumplings',
    about:
      'Two short talks, one long buffet. Questions are welcome during, not only after. Everything on the buffet is marked for allergies and steamed while you listen.',
    host: 'petra',
    place: 'chalmers',
    category: 'tech',
    template: 'meetup',
    capacity: 90,
    bring: 'fika',
    dates: [
      {
        when: [0, 'wed', '17:30', 3],
        title: 'Data & Dumplings: indexes you do not need',
        about:
          'We drop six indexes from a live copy and look at what gets slower. Then a short talk on why it was only one. Everything on the buffet is steamed while you listen.',
      },
      {
        when: [2, 'wed', '17:30', 3],
        title: 'Data & Dumplings: time zones are lies',
        about:
          'Where yesterday goes when you fly west, and how to store it so that nobody misses a birthday. Second talk: calendars that skip ten days. Dumplings at seven.',
      },
      {
        when: [4, 'wed', '17:30', 3],
        title: 'Data & Dumplings: a million rows on a laptop',
        about:
          'No cluster, no cloud: one laptop, one disk, one evening. We time it together and argue about the numbers over the bamboo baskets.',
      },
      {
        when: [6, 'wed', '17:30', 3],
        title: 'Data & Dumplings: backups, and whether yours work',
        about:
          'Bring a backup and restore it in front of everybody. Applause either way, and help for those who need it. Comfort food is served early.',
      },
    ],
  },
  {
    title: 'Morning dip',
    about:
      'In at seven, out at two minutes past, coffee from the flask. Nobody is ever sorry afterwards. Ladder on the left, faint-hearted on the right.',
    host: 'elin',
    place: 'saltholmen',
    category: 'wellbeing',
    dates: [
      { when: [0, 'wed', '07:00', 1] },
      { when: [1, 'wed', '07:00', 1] },
      { when: [2, 'wed', '07:00', 1] },
      { when: [3, 'wed', '07:00', 1] },
      { when: [5, 'wed', '07:00', 1], title: 'Morning dip: with a sauna on wheels' },
    ],
  },
];
