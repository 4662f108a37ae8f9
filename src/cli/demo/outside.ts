/** Sports, outdoors and wellbeing. */
import type { Gathering } from './types.ts';

export const outside: Gathering[] = [
  {
    title: 'Kayaks to Vinga and back',
    about:
      'Twenty-two kilometres of open water for people who have paddled before. Lunch at the lighthouse, home with the evening breeze. The forecast decides on Friday at noon.',
    host: 'henrik',
    place: 'saltholmen',
    when: [1, 'sun', '08:00', 10],
    category: 'outdoors',
    price: 250,
    capacity: 8,
    bring: [
      { title: 'Spare paddle', quantityNeeded: 2, emoji: '🛶' },
      { title: 'Dry bag, 20 l', quantityNeeded: 4, emoji: '🎒' },
      { title: 'Lunch to share', quantityNeeded: 4, emoji: '🥪' },
    ],
  },
  {
    title: 'First strokes: kayak for beginners',
    about:
      'Calm water, wide boats, patient people. You will get wet once, on purpose, and then it is behind you. Vests and spray decks are there.',
    host: 'henrik',
    place: 'styrso',
    when: [2, 'sat', '10:00', 4],
    category: 'outdoors',
    price: 180,
    capacity: 10,
  },
  {
    title: 'Ten lakes in a day',
    about:
      'A slow hike round Delsjön and on into the forest, with a dip in every lake that has a shore. Twenty kilometres, ten towels, no hurry.',
    host: 'elin',
    place: 'delsjon',
    when: [3, 'sat', '08:30', 10],
    category: 'outdoors',
    bring: 'trail',
  },
  {
    title: 'Bats over the botanical garden',
    about:
      'We walk at dusk with detectors that make the inaudible audible. Five species on a good night. Dark clothes, soft shoes, no torches.',
    host: 'freja',
    place: 'botaniska',
    when: [0, 'fri', '21:00', 1.5],
    category: 'outdoors',
    capacity: 20,
  },
  {
    title: 'Beach clean-up with a prize for the oddest find',
    about:
      'Three teams, three coves, two hours. Last year’s winner was a bowling ball with barnacles. Gloves and sacks are paid for, lunch is on the list.',
    host: 'henrik',
    place: 'branno',
    when: [4, 'sat', '10:00', 4],
    category: 'outdoors',
    bring: [
      { title: 'Soup for ten', quantityNeeded: 3, emoji: '🍲' },
      { title: 'Wheelbarrow', quantityNeeded: 2, emoji: '🛒' },
      { title: 'Buns', quantityNeeded: 4, emoji: '🥐' },
    ],
  },
  {
    title: 'Star party on Ramberget',
    about:
      'Saturn’s rings, Jupiter’s moons and the Andromeda galaxy in four telescopes. If there are clouds we tell the stories instead and try again next month.',
    host: 'tomek',
    place: 'keiller',
    when: [5, 'sat', '21:30', 3],
    category: 'outdoors',
    bring: [
      { title: 'Thermos of cocoa', quantityNeeded: 4, emoji: '☕' },
      {
        title: 'Red torch',
        quantityNeeded: 5,
        emoji: '🔦',
        description: 'White light spoils twenty minutes of eyes.',
      },
      { title: 'Binoculars', quantityNeeded: 6, emoji: '🔭' },
    ],
  },
  {
    title: 'Seed swap and soil talk',
    about:
      'Bring what you saved, take what you lack. At three there is a short talk on compost by somebody who weighs it.',
    host: 'freja',
    place: 'botaniska',
    when: [5, 'sun', '13:00', 3],
    category: 'outdoors',
    wish: 'gardenWishes',
  },
  {
    title: 'Overnight on Styrsö, without tents',
    about:
      'Hammocks and bivouac bags under the pines, porridge at six, first ferry home. For adults who miss being fourteen.',
    host: 'henrik',
    place: 'styrso',
    when: [6, 'sat', '17:00', 16],
    category: 'outdoors',
    capacity: 12,
    bring: 'trail',
  },
  {
    title: 'Football for people who never got picked',
    about:
      'Seven a side, mixed, no shouting except for joy. We pick teams by month of birth and change at half-time. The loser buys nothing.',
    host: 'david',
    place: 'heden',
    when: [0, 'wed', '18:30', 1.5],
    category: 'sports',
  },
  {
    title: 'Neighbourhood cup',
    about:
      'Sixteen teams from sixteen districts, one day, one trophy made of bicycle parts. Teams of eight with at least three women. Sign up as a team by writing to me.',
    host: 'david',
    place: 'kviberg',
    when: [4, 'sat', '09:00', 9],
    category: 'sports',
    price: 50,
    capacity: 300,
    bring: [
      { title: 'Whistle and an hour as referee', quantityNeeded: 8, emoji: '🟨' },
      { title: 'Oranges, cut', quantityNeeded: 10, emoji: '🍊' },
      { title: 'Ice packs', quantityNeeded: 6, emoji: '🧊' },
      { title: 'Big water canister', quantityNeeded: 4, emoji: '💧' },
    ],
  },
  {
    title: 'Bouldering for the scared of heights',
    about:
      'Nothing is higher than your own shoulders until you ask for more. Shoes to borrow, chalk for free, and a coach who was scared herself.',
    host: 'elin',
    place: 'gamlestaden',
    when: [1, 'tue', '18:00', 2],
    category: 'sports',
    price: 140,
    capacity: 10,
  },
  {
    title: 'Table tennis knock-out',
    about:
      'Thirty-two places, eleven points a set, double elimination so that everybody plays twice. Bats are there. Headbands score extra with the jury.',
    host: 'carlos',
    place: 'chalmers',
    when: [3, 'thu', '17:00', 4],
    category: 'sports',
    price: 30,
    capacity: 32,
  },
  {
    title: 'Half marathon, the unofficial one',
    about:
      'Twenty-one kilometres along the river at three speeds, with pacers, one ferry and a finish line of chalk. No numbers, no medals, pancakes.',
    host: 'amina',
    place: 'dock',
    when: [6, 'sun', '09:00', 4],
    category: 'sports',
    bring: [
      { title: 'Pancake batter, 3 l', quantityNeeded: 4, emoji: '🥞' },
      { title: 'Camping stove and pan', quantityNeeded: 3, emoji: '🍳' },
      { title: 'Jam', quantityNeeded: 5, emoji: '🍓' },
    ],
  },
  {
    title: 'Learn to swim as a grown-up',
    about:
      'A warm pool, water to the chest, nobody watching. Four people to a teacher. If you have been afraid for forty years you are not the first one this month.',
    host: 'amina',
    place: 'valhalla',
    when: [2, 'tue', '20:00', 1.5],
    category: 'sports',
    price: 60,
    capacity: 12,
  },
  {
    title: 'Petanque and pastis (or cordial)',
    about:
      'Six lanes of gravel, boules for all, and a tournament that nobody takes seriously until the final. Shade, gravel and a place to sit for whoever is out.',
    host: 'jonas',
    place: 'vasaparken',
    when: [1, 'thu', '17:30', 3],
    category: 'sports',
    bring: [
      { title: 'Set of boules', quantityNeeded: 3, emoji: '⚪' },
      { title: 'Olives', quantityNeeded: 3, emoji: '🫒' },
      { title: 'Ice', quantityNeeded: 2, emoji: '🧊' },
    ],
  },
  {
    title: 'Sunrise yoga on the cliffs',
    about:
      'An hour on warm rock with the sea for a teacher. Mats slip, so bring a towel. Coffee from the first kiosk that opens.',
    host: 'elin',
    place: 'saltholmen',
    when: [0, 'sun', '06:00', 1.25],
    category: 'wellbeing',
    price: 50,
  },
  {
    title: 'Sauna and cold dip for first-timers',
    about:
      'Ten minutes hot, one minute cold, twice. We talk you in and we talk you out. Swimwear on Sundays, by popular vote.',
    host: 'elin',
    place: 'frihamnen',
    when: [4, 'sun', '17:00', 2],
    category: 'wellbeing',
    price: 90,
    capacity: 12,
  },
  {
    title: 'A day without a phone',
    about:
      'Leave it in a locked box at ten. We walk, draw, cook and nap; you get it back at five. Emergency number on a paper slip for those at home.',
    host: 'elin',
    place: 'botaniska',
    when: [5, 'sat', '10:00', 7],
    category: 'wellbeing',
    price: 120,
    capacity: 20,
  },
  {
    title: 'Grief café',
    about:
      'A round table for people who have lost somebody, recently or not. You may speak, you may just stir your tea. Held by two nurses off duty.',
    host: 'alva',
    place: 'masthugget',
    when: [2, 'thu', '18:00', 2],
    category: 'wellbeing',
    bring: 'fika',
  },
  {
    title: 'Breathing for singers and everybody else',
    about:
      'Ninety minutes on the floor and off it. You will learn where your ribs go, and sleep well. Wear something that you can lie down in.',
    host: 'sofia',
    place: 'frolunda',
    when: [6, 'tue', '18:30', 1.5],
    category: 'wellbeing',
    price: 70,
    capacity: 18,
  },
  {
    title: 'Winter swimmers’ annual meeting',
    about:
      'Accounts, elections, cake, plunge. In that order this time, since last year nobody came back for the accounts.',
    host: 'elin',
    place: 'saltholmen',
    when: [7, 'sun', '14:00', 2],
    category: 'wellbeing',
    visibility: 'unlisted',
    bring: 'fika',
  },
  {
    title: 'Archery in the park',
    about:
      'Ten bows, ten targets, one very patient instructor, and a prize for the arrow that went furthest astray. Called off: the club’s insurance has run out.',
    host: 'david',
    place: 'slottsskogen',
    when: [2, 'sun', '12:00', 3],
    category: 'sports',
    price: 100,
    cancelled: true,
  },
];
