/** Games, families and parties. */
import type { Gathering } from './types.ts';

export const play: Gathering[] = [
  {
    title: 'Twenty-four hours of board games',
    about:
      'We open on Saturday at noon and close when the last space station has fallen. Camp beds upstairs, porridge at seven. Come for an hour or for all of it.',
    host: 'tomek',
    place: 'chalmers',
    when: [2, 'sat', '12:00', 24],
    category: 'games',
    price: 80,
    capacity: 120,
    bring: 'gameNight',
  },
  {
    title: 'Chess in the sun',
    about:
      'Twelve boards under the limes. Beginners sit in the shade, where somebody explains; the fast ones sit by the clock. Rain moves us to the arcade.',
    host: 'jonas',
    place: 'vasaparken',
    when: [0, 'sun', '13:00', 4],
    category: 'games',
    bring: [
      { title: 'Chess set', quantityNeeded: 5, emoji: '♟️' },
      { title: 'Chess clock', quantityNeeded: 3, emoji: '⏱️' },
      { title: 'Lemonade', quantityNeeded: 3, emoji: '🍋' },
    ],
  },
  {
    title: 'Murder at the fish church',
    about:
      'A detective game for thirty, in costume, among the counters. You get your role by post a week before. Nobody knows who did it, including the murderer.',
    host: 'tomek',
    place: 'feskekorka',
    when: [5, 'fri', '18:30', 4],
    category: 'games',
    price: 190,
    capacity: 30,
  },
  {
    title: 'Role-playing for people with jobs',
    about:
      'One evening, one story, done by ten. No rulebook to read in advance; the dice explain themselves. If you have never played, you get the best seat.',
    host: 'tomek',
    place: 'gamlestaden',
    when: [3, 'wed', '18:00', 4],
    category: 'games',
    capacity: 18,
    bring: [
      { title: 'Set of dice', quantityNeeded: 6, emoji: '🎲' },
      { title: 'Pizza, large', quantityNeeded: 4, emoji: '🍕' },
    ],
  },
  {
    title: 'Treasure hunt by tram',
    about:
      'Eleven clues, six lines, one day ticket. Teams of four. The final clue can only be read from the left side of the number 11.',
    host: 'david',
    place: 'vasaparken',
    when: [4, 'sun', '11:00', 5],
    category: 'games',
    price: 20,
  },
  {
    title: 'Kites over Frihamnen',
    about:
      'We build until noon and fly until the strings are in knots. Sticks, paper and tape are there; the wind has been ordered from the west.',
    host: 'amina',
    place: 'frihamnen',
    when: [1, 'sun', '10:00', 5],
    category: 'family',
    bring: 'picnic',
  },
  {
    title: 'Story hour in five languages',
    about:
      'One tale, told in Swedish, Somali, Arabic, Polish and Spanish, with pictures so that everybody can follow. For children from three to eight and the people whom they bring.',
    host: 'amina',
    place: 'library',
    when: [0, 'sat', '10:30', 1.5],
    category: 'family',
  },
  {
    title: 'Fathers, babies, pancakes',
    about:
      'The only rule is that no mother has to pack the bag. Prams park in the hall, coffee is on all morning, and the carpet has seen worse than your child.',
    host: 'david',
    place: 'selma',
    when: [3, 'sat', '09:30', 2.5],
    category: 'family',
    bring: [
      { title: 'Pancake batter, 2 l', quantityNeeded: 3, emoji: '🥞' },
      { title: 'Mashed banana', quantityNeeded: 4, emoji: '🍌' },
      { title: 'Spare nappies', quantityNeeded: 6, emoji: '🍼' },
    ],
  },
  {
    title: 'Lantern walk for small legs',
    about:
      'A kilometre through the park after dark, with home-made lanterns and a song at each bridge. We end at the fire with buns.',
    host: 'freja',
    place: 'slottsskogen',
    when: [7, 'fri', '18:00', 2],
    category: 'family',
    bring: 'fika',
  },
  {
    title: 'Ebba turns seven',
    about:
      'Cake, a treasure in the sand and a magician who is really her uncle. Parents may stay; siblings are included. The wish-list is hers, spelling and all.',
    host: 'jonas',
    place: 'slottsskogen',
    when: [2, 'sun', '14:00', 3],
    category: 'family',
    template: 'birthday',
    visibility: 'unlisted',
    bring: [
      { title: 'Balloons', quantityNeeded: 20, emoji: '🎈' },
      { title: 'Sausages and buns for ten', quantityNeeded: 3, emoji: '🌭' },
    ],
    wish: [
      {
        title: 'A book about octopuses',
        quantityNeeded: 1,
        emoji: '🐙',
        link: 'https://shop.example/octopus-book',
      },
      {
        title: 'Roller skates, size 31',
        quantityNeeded: 1,
        emoji: '🛼',
        link: 'https://shop.example/roller-skates-31',
      },
      { title: 'Modelling clay', quantityNeeded: 4, emoji: '🎨' },
      { title: 'A torch that is real', quantityNeeded: 1, emoji: '🔦' },
    ],
  },
  {
    title: 'Nour and Samir get married',
    about:
      'Town hall at two, the island at four, dancing until the last ferry and, for some, until the first one. Please answer soon: the boat wants a number.',
    host: 'nour',
    place: 'branno',
    when: [5, 'sat', '16:00', 10],
    category: 'party',
    template: 'wedding',
    visibility: 'unlisted',
    capacity: 110,
    bring: [
      { title: 'A cake, any kind', quantityNeeded: 12, emoji: '🎂' },
      { title: 'Flowers in buckets', quantityNeeded: 8, emoji: '💐' },
      { title: 'Strings of lights', quantityNeeded: 5, emoji: '✨' },
    ],
    wish: [
      {
        title: 'Linen tablecloth, 3 m',
        quantityNeeded: 2,
        emoji: '🧵',
        link: 'https://shop.example/linen-3m',
      },
      {
        title: 'Wine glasses, six',
        quantityNeeded: 4,
        emoji: '🍷',
        link: 'https://shop.example/wine-glasses',
      },
      {
        title: 'A night in a cabin',
        quantityNeeded: 3,
        emoji: '🏕️',
        description: 'Any season. Shares are fine.',
      },
      {
        title: 'Stand mixer, a share of it',
        quantityNeeded: 10,
        emoji: '🥣',
        link: 'https://shop.example/stand-mixer',
      },
    ],
  },
  {
    title: 'Rooftop, midnight, no photographs',
    about:
      'Four DJs, one lift, coats stay on. The address is right, the door is not: follow the chalk. Neighbours who complain get in free.',
    host: 'oskar',
    place: 'slakthuset',
    when: [1, 'fri', '23:00', 5],
    category: 'party',
    price: 150,
    capacity: 120,
  },
  {
    title: 'Yard rave for early risers',
    about:
      'Doors at six in the morning, coffee instead of beer, home by nine. You have not danced until you have danced on porridge.',
    host: 'oskar',
    place: 'ringon',
    when: [4, 'fri', '06:00', 3],
    category: 'party',
    price: 90,
  },
  {
    title: 'Eighties night with a live drum machine',
    about:
      'It is from 1984, it has opinions, and tonight it has a band. Shoulder pads get you in for half. Requests are taken on cassette.',
    host: 'oskar',
    place: 'pustervik',
    when: [6, 'sat', '21:00', 5],
    category: 'party',
    template: 'concert',
    price: 180,
    capacity: 400,
  },
  {
    title: 'Street party on Djurgårdsgatan',
    about:
      'Closed to cars since the neighbours asked nicely. Stalls, a sack race and a stage on a trailer. Called off: the street is being dug up.',
    host: 'oskar',
    place: 'musikenshus',
    when: [3, 'sat', '14:00', 8],
    category: 'party',
    cancelled: true,
    bring: 'longTable',
  },
  {
    title: 'Carlos turns forty',
    about:
      'He says no presents and means it, so there is a list. Dancing from nine, speeches banned until ten, then limited to one minute.',
    host: 'carlos',
    place: 'skansen',
    when: [4, 'sat', '19:00', 6],
    category: 'party',
    template: 'birthday',
    visibility: 'unlisted',
    bring: 'longTable',
    wish: [
      {
        title: 'Coffee grinder, a share',
        quantityNeeded: 8,
        emoji: '☕',
        link: 'https://shop.example/hand-grinder',
      },
      { title: 'A record from the year you met', quantityNeeded: 20, emoji: '💿' },
    ],
  },
  {
    title: 'Surprise for Mara',
    about:
      'She thinks it is a committee meeting. Be there at six, lights out at half past, and for once nobody brings bread.',
    host: 'leila',
    place: 'masthugget',
    when: [3, 'sun', '18:00', 4],
    category: 'party',
    template: 'birthday',
    visibility: 'private',
    wish: [{ title: 'A share of the big mixer', quantityNeeded: 12, emoji: '🥣' }],
  },
];
