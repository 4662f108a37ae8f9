/** Finds the one place that an address means, or says that it is doubtful: nobody is there to choose. */
import { type Coordinates, distanceKm } from '#record-index';
import type { Gazetteer, NamedPlace } from '../gazetteer.ts';
import type { CountryNames } from './country-names.ts';
import { countriesOfCode } from './postal-codes.ts';
import { type Interpretation, type Reading, readAddress } from './read-address.ts';
import { fitOf, type ZoneHint } from './zone-fit.ts';

/** What is known of an address besides its text. */
export type AddressContext = {
  /** The time zone of the event; null if nothing names it. */
  zone: ZoneHint | null;
  /** Where the other events of the calendar are. */
  near: Coordinates | null;
};
export type FoundAddress =
  | { place: NamedPlace; town: string }
  /** Namesakes among which nothing decides, the likeliest first; empty without a known name. */
  | { place: null; candidates: NamedPlace[] };

const nearKm = 150;
/** Places of one name so near to each other are one place. */
const sameKm = 25;
/** A town before a larger one, as in "Marbella, Málaga", is at most so far from it, and has so many inhabitants. */
const [partKm, minPartPopulation] = [60, 5_000];
/** How many times larger than its namesakes a place is that is meant, with and without a context. */
const [dominanceInContext, dominance] = [4, 10];
/** Without a context, and for words at the end of a part: smaller places have names that are ordinary words. */
const minPopulation = 15_000;

/** Words that name a room or a venue, and a town somewhere. */
const venueWords = new Set(
  (
    'hall halle saal sala salle zaal sal aula church kirche park parks court market markt temple school schule library ' +
    'museum centre center zentrum college stadium station castle palace garden gardens beach bar club gym home hof bad ' +
    'street plaza forum arena mensa cafe online zoom salon stage turnhalle rathaus schloss'
  ).split(' '),
);
/** Words that name something else than a town if nothing stands beside them. */
const commonWords = new Set(
  'main ware battle sale deal settle tours nice mobile essen reading bath march'.split(' '),
);
/** Words in front of the name of a room, a hotel or a restaurant that is called like a town. */
const namedAfterTowns =
  /^(?:meeting )?(?:room|raum|saal|sal|salle|sala|zaal|rum|aula|hotel|hôtel|restaurant|ristorante|pizzeria|trattoria|caf[eé]|bar|pub|cinema|kino|teatro|theater|theatre|konferenzraum|besprechungsraum|seminarraum|hörsaal|auditorium|suite|studio|villa|casa|haus|house)\b/iu;

export class AddressFinder {
  readonly #gazetteer: Gazetteer;
  readonly #countries: CountryNames;

  constructor(gazetteer: Gazetteer, countries: CountryNames) {
    this.#gazetteer = gazetteer;
    this.#countries = countries;
  }

  find(address: string, context: AddressContext): FoundAddress {
    let doubtful: NamedPlace[] = [];
    const interpretations = readAddress(address, this.#countries);
    const hasCountry = interpretations.some(
      ({ country, region, isCountryCode }) => country !== undefined && !region && !isCountryCode,
    );
    for (const interpretation of interpretations) {
      // The name of a country is no town, but it may be a state: Atlanta, Georgia.
      if (hasCountry && interpretation.country === undefined) continue;
      for (const reading of interpretation.readings) {
        const places = this.#placesOf(reading, interpretation, context);
        const place = choose(places, interpretation, context);
        if (place) return this.#smallest({ place, town: reading.town }, reading, interpretation, context);
        if (places.length > 0 && doubtful.length === 0) doubtful = places;
      }
      const state = this.#cityState(interpretation);
      if (state) return { place: state, town: state.name };
      if (doubtful.length > 0) break;
    }
    return { place: null, candidates: doubtful };
  }

  /** Whether a text names a country in words. */
  namesCountry(address: string): boolean {
    return readAddress(address, this.#countries).some(
      ({ country, isCountryCode }) => country !== undefined && !isCountryCode,
    );
  }

  #placesOf(reading: Reading, interpretation: Interpretation, context: AddressContext): NamedPlace[] {
    const { country, region, readings } = interpretation;
    if (!country && !reading.isBesideCode && isVenue(reading, readings, context)) return [];
    if (reading.isGuess && !reading.isBesideCode && namedAfterTowns.test(reading.street)) return [];
    const isKnown = Boolean(country || region || reading.isBesideCode || (context.zone && !reading.isGuess));
    const isNear = (place: NamedPlace) => context.near !== null && distanceKm(place, context.near) <= nearKm;
    return this.#gazetteer
      .named(reading.town)
      .filter((place) => !country || place.country === country)
      .filter((place) => !region || place.region === region)
      .filter((place) => country || region || !context.zone || fitOf(place, context.zone) > 0)
      .filter((place) => isKnown || place.population >= minPopulation || isNear(place))
      .filter(
        (place) =>
          !reading.isGuess || reading.isBesideCode || isCertainGuess(place, reading, interpretation, context),
      );
  }

  /** "Marbella" of "Marbella, Málaga": a town in front of a larger one that gives a province its name. */
  #smallest(
    found: { place: NamedPlace; town: string },
    { part, isBesideCode, isGuess }: Reading,
    interpretation: Interpretation,
    context: AddressContext,
  ): FoundAddress {
    if (isBesideCode || isGuess) return found;
    const before = interpretation.readings.filter((reading) => reading.part === part - 1 && !reading.isGuess);
    for (const reading of before) {
      const place = this.#placesOf(reading, interpretation, context).find(
        (one) =>
          one.population >= minPartPopulation &&
          one.country === found.place.country &&
          distanceKm(one, found.place) <= partKm,
      );
      if (place && !venueWords.has(reading.town.toLowerCase())) return { place, town: reading.town };
    }
    return found;
  }

  /** The town of a country that has the country's name, such as Singapore. */
  #cityState({ country, region }: Interpretation): NamedPlace | null {
    if (!country || region) return null;
    const isNameOf = (place: NamedPlace) =>
      this.#countries.get(place.name.toLowerCase()) === country && place.population >= minPopulation;
    return cityStates.has(country)
      ? this.#gazetteer.largest((place) => place.country === country && isNameOf(place), 10_000)
      : null;
  }
}

/** Whether words name a room rather than a town: "Hall B", but not "Folkets Hus, Sala" in the zone of Sala. */
function isVenue({ town, part, hasMore }: Reading, readings: Reading[], { zone }: AddressContext): boolean {
  const words = town.toLowerCase();
  const lastPart = Math.max(...readings.map((reading) => reading.part));
  if (venueWords.has(words)) return zone === null || hasMore || part !== lastPart || lastPart === 0;
  return commonWords.has(words) && lastPart === 0;
}

const cityStates = new Set(['SG', 'HK', 'MC', 'LU', 'GI', 'MO', 'KW', 'DJ', 'SM', 'VA', 'GT', 'PA']);

/** The last words of a part without a comma. */
function isCertainGuess(
  place: NamedPlace,
  { town }: Reading,
  { country, region }: Interpretation,
  { zone, near }: AddressContext,
): boolean {
  if (venueWords.has(town.toLowerCase())) return false;
  if (country || region) return true;
  if (near && distanceKm(place, near) <= nearKm) return true;
  return (
    place.population >= minPopulation &&
    (zone ? fitOf(place, zone) > 1 : place.population >= 5 * minPopulation)
  );
}

/** The place among namesakes that is meant; null if nothing decides. @param places the largest first */
function choose(
  places: NamedPlace[],
  { country, region, code }: Interpretation,
  { zone, near }: AddressContext,
): NamedPlace | null {
  if (places.length === 0) return null;
  const narrowed = [
    (some: NamedPlace[]) => (zone ? some.filter((place) => fitOf(place, zone) > 1) : some),
    (some: NamedPlace[]) => {
      const countries = code === null || country ? null : countriesOfCode(code);
      return countries ? some.filter((place) => countries.includes(place.country)) : some;
    },
  ].reduce((some, narrow) => {
    const fewer = narrow(some);
    return fewer.length > 0 ? fewer : some;
  }, places);
  const [largest, ...others] = withoutDoubles(narrowed);
  if (!largest) return null;
  if (others.length === 0) return largest;
  if (near) {
    const [nearest, next] = narrowed.toSorted((a, b) => distanceKm(a, near) - distanceKm(b, near));
    if (nearest && distanceKm(nearest, near) <= nearKm && (!next || isOnlyNear(next, nearest, near)))
      return nearest;
  }
  const factor = country || region || zone ? dominanceInContext : dominance;
  return largest.population >= factor * Math.max(1, others[0]?.population ?? 0) ? largest : null;
}

const isOnlyNear = (next: NamedPlace, nearest: NamedPlace, near: Coordinates): boolean =>
  distanceKm(next, nearest) <= sameKm || distanceKm(next, near) > 2 * distanceKm(nearest, near);

/** Without the places near to a larger one of the same name. */
const withoutDoubles = (places: NamedPlace[]): NamedPlace[] =>
  places.filter((place, i) => places.slice(0, i).every((larger) => distanceKm(larger, place) > sameKm));
