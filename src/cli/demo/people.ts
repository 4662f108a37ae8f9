/** The people of the demo. Their numbers are of the range that is kept for fiction. */

type Person = {
  phone: string;
  name: string;
  username: string;
  bio: string;
  city: string;
  role?: 'admin';
  isPrivate?: true;
};

export const people = {
  alva: {
    phone: '+12025550100',
    name: 'Alva Nyström',
    username: 'alva.nystrom',
    bio: 'Looks after this server. Write to me when something is stuck; I answer between two cups of coffee.',
    city: 'Göteborg',
    role: 'admin',
  },
  mara: {
    phone: '+12025550101',
    name: 'Mara Lindgren',
    username: 'mara.l',
    bio: 'Long tables, loud kitchens, seconds for everybody. I bring the sourdough.',
    city: 'Göteborg',
  },
  jonas: {
    phone: '+12025550102',
    name: 'Jonas Okafor',
    username: 'jonas.okafor',
    bio: 'New in town since spring. Says yes to almost anything with a view or a pot on the stove.',
    city: 'Göteborg',
  },
  leila: {
    phone: '+12025550103',
    name: 'Leila Haddad',
    username: 'leila.h',
    bio: 'Aleppo in the spice drawer, Hisingen on the doorbell. Cooking classes that end at one big table.',
    city: 'Göteborg',
  },
  tomek: {
    phone: '+12025550104',
    name: 'Tomasz Wieczorek',
    username: 'tomek.w',
    bio: 'Four hundred board games and one small flat. Help me play them all.',
    city: 'Mölndal',
  },
  sofia: {
    phone: '+12025550105',
    name: 'Sofia Ekström',
    username: 'sofia.ekstrom',
    bio: 'Choir leader, trombone, terrible whistler.',
    city: 'Göteborg',
  },
  amina: {
    phone: '+12025550106',
    name: 'Amina Warsame',
    username: 'amina.w',
    bio: 'Mother of three, runner of ten kilometres, organizer of everything in Hammarkullen that needs a whistle.',
    city: 'Angered',
  },
  henrik: {
    phone: '+12025550107',
    name: 'Henrik Dahl',
    username: 'henrik_dahl',
    bio: 'Sea kayaks, wet socks, good maps. The archipelago is nearer than you think.',
    city: 'Styrsö',
  },
  yuki: {
    phone: '+12025550108',
    name: 'Yuki Tanaka',
    username: 'yuki.tanaka',
    bio: 'Potter at Konstepidemin. Ink, clay and the patience to start again.',
    city: 'Göteborg',
  },
  carlos: {
    phone: '+12025550109',
    name: 'Carlos Medina',
    username: 'carlos.medina',
    bio: 'Salsa on two, coffee at any time. Nobody sits out the first song.',
    city: 'Göteborg',
  },
  nour: {
    phone: '+12025550110',
    name: 'Nour El-Sayed',
    username: 'nour.elsayed',
    bio: 'Projectionist. I will lend you the book, the record and the umbrella, but not the last reel.',
    city: 'Göteborg',
  },
  freja: {
    phone: '+12025550111',
    name: 'Freja Lund',
    username: 'freja.lund',
    bio: 'Allotment 47. Swaps seedlings for stories.',
    city: 'Göteborg',
  },
  petra: {
    phone: '+12025550112',
    name: 'Petra Novak',
    username: 'petra.novak',
    bio: 'Databases by day, pierogi by night. Runs the meetup where questions are welcome.',
    city: 'Göteborg',
  },
  david: {
    phone: '+12025550113',
    name: 'David Mensah',
    username: 'd.mensah',
    bio: 'Left back, right neighbour. Football for everyone on Heden, repairs for everything on Ringön.',
    city: 'Göteborg',
  },
  elin: {
    phone: '+12025550114',
    name: 'Elin Åkesson',
    username: 'elin.akesson',
    bio: 'Yoga, cold water, early nights.',
    city: 'Västra Frölunda',
    isPrivate: true,
  },
  oskar: {
    phone: '+12025550115',
    name: 'Oskar Bergqvist',
    username: 'oskar.b',
    bio: 'Throws the parties that your neighbours write about.',
    city: 'Göteborg',
  },
} as const satisfies Record<string, Person>;
