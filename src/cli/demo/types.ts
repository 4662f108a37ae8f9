/** What the demo is written in. */
import type { NewEvent } from '../../modules/events/schemas.ts';
import type { NewItem } from '../../modules/items/schemas.ts';
import type { kits } from './kits.ts';
import type { people } from './people.ts';
import type { places } from './places.ts';

export type PersonKey = keyof typeof people;
export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';
/** How many weeks from now, the day, the local time and the length in hours. */
export type When = [week: number, day: Weekday, time: string, hours: number];

export type Thing = Omit<NewItem, 'kind'>;

export type Gathering = {
  title: string;
  about: string;
  host: PersonKey;
  place: keyof typeof places;
  when: When;
  category: NewEvent['category'];
  template?: NonNullable<NewEvent['template']>;
  /** In SEK. */
  price?: number;
  capacity?: number;
  visibility?: NonNullable<NewEvent['visibility']>;
  /** Called off after people had answered. */
  cancelled?: true;
  bring?: keyof typeof kits | Thing[];
  wish?: keyof typeof kits | Thing[];
  /** Seats, in the order in which people came; those who found none left wait. */
  bookings?: [who: PersonKey, seats: number][];
};

/** One gathering on several dates; what a date does not say is as in the series. */
export type Series = Omit<Gathering, 'when'> & {
  dates: (Pick<Gathering, 'when'> & Partial<Gathering>)[];
};
