/** Finds places by the start of their name, or of a later word of it (decision 39). */
import {
  type Coordinates,
  distanceKm,
  earthRadiusKm,
  type Point,
  prefixRange,
  toPoint,
  wordAt,
} from '#record-index';
import { type CitiesSource, unitsPerDegree } from './cities.ts';
import { type GazetteerData, isOtherName, isWholeName, separator } from './gazetteer-data.ts';
import { normalizeName } from './names.ts';
import type { Place } from './schemas.ts';

export type FoundPlace = Omit<Place, 'timeZone' | 'address' | 'isExact'>;
/** A place by its whole name. */
export type NamedPlace = Omit<FoundPlace, 'isWholeName' | 'distanceKm'>;

/** The score is the population, times this if the query is the whole name. */
const wholeNameFactor = 100;
/** Times this if the query is the start of one of the other names, which are many and in many languages. */
const otherStartFactor = 1 / 1_000;
/** In bytes: shorter starts of other names are no matches. */
const minOtherStart = 3;
/** Inhabitants of a place that gives an event its town. */
const minNearest = 1_000;
/** The score is divided by the square of 1 plus the distance in this unit. */
const distanceUnitKm = 50;

export class Gazetteer {
  readonly #data: GazetteerData;

  constructor(data: GazetteerData) {
    this.#data = data;
  }

  get source(): CitiesSource {
    return this.#data.source;
  }

  /**
   * The places with the highest scores; of equal ones, the larger place first. Empty for a text without
   * words.
   */
  search(q: string, near: Coordinates | null, limit: number): FoundPlace[] {
    const prefix = Buffer.from(normalizeName(q));
    if (prefix.length === 0) return [];
    const { keys, keyPlaces, populations } = this.#data;
    const { first, end } = prefixRange(keys, prefix);
    const origin = near && toPoint(near);
    const best: Scored[] = [];
    for (let i = first; i < end; i++) {
      const key = keyPlaces[i] as number;
      const place = key >>> 2;
      const length = (keys.offsets[i + 1] as number) - (keys.offsets[i] as number);
      const isWhole = (key & isWholeName) > 0 && length === prefix.length;
      const isOther = (key & isOtherName) > 0;
      if (isOther && !isWhole && prefix.length < minOtherStart) continue;
      const factor = isOther ? (isWhole ? 1 : otherStartFactor) : isWhole ? wholeNameFactor : 1;
      let score = Math.max(populations[place] as number, 1) * factor;
      if (origin) score /= (1 + this.#kmFrom(origin, place) / distanceUnitKm) ** 2;
      addBest(best, limit, { place, score, isWhole });
    }
    return best.map(({ place, isWhole }) => {
      const found = this.#toPlace(place);
      return { ...found, isWholeName: isWhole, ...(near && { distanceKm: distanceKm(near, found) }) };
    });
  }

  #kmFrom([x, y, z]: Point, place: number): number {
    const { points } = this.#data;
    const dx = (points[3 * place] as number) - x;
    const dy = (points[3 * place + 1] as number) - y;
    const dz = (points[3 * place + 2] as number) - z;
    return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(dx * dx + dy * dy + dz * dz) / 2));
  }

  /** The places of a name, in any of its languages, the largest first. */
  named(name: string): NamedPlace[] {
    const { keys, keyPlaces } = this.#data;
    const found = new Set<number>();
    for (const spelling of spellingsOf(normalizeName(name))) {
      const key = Buffer.from(spelling);
      const { first, end } = prefixRange(keys, key);
      for (let i = first; i < end; i++) {
        // Keys are sorted: those that are longer than the name are behind it.
        if ((keys.offsets[i + 1] as number) - (keys.offsets[i] as number) > key.length) break;
        const place = keyPlaces[i] as number;
        if ((place & isWholeName) > 0) found.add(place >>> 2);
      }
    }
    // Places are in the order of their population.
    return [...found].sort((a, b) => a - b).map((place) => this.#toPlace(place));
  }

  /** The largest place that a condition holds for, among so many of the largest ones. */
  largest(isMeant: (place: NamedPlace) => boolean, among: number): NamedPlace | null {
    for (let i = 0; i < Math.min(among, this.#data.populations.length); i++) {
      const place = this.#toPlace(i);
      if (isMeant(place)) return place;
    }
    return null;
  }

  /** The nearest place with a thousand inhabitants or more; null if there is none within 50 km. */
  nearest(
    near: Coordinates,
    { minPopulation = minNearest, withinKm = distanceUnitKm } = {},
  ): NamedPlace | null {
    const { populations } = this.#data;
    const origin = toPoint(near);
    let [best, bestKm] = [-1, withinKm];
    for (let place = 0; place < populations.length; place++) {
      if ((populations[place] as number) < minPopulation) break;
      const km = this.#kmFrom(origin, place);
      if (km < bestKm) [best, bestKm] = [place, km];
    }
    return best < 0 ? null : this.#toPlace(best);
  }

  #toPlace(place: number): NamedPlace {
    const { labels, coordinates, populations } = this.#data;
    const [name = '', country = '', region = ''] = wordAt(labels, place).split(separator);
    const at = {
      lat: (coordinates[2 * place] as number) / unitsPerDegree,
      lng: (coordinates[2 * place + 1] as number) / unitsPerDegree,
    };
    return {
      name,
      country,
      ...(region && { region }),
      ...at,
      population: populations[place] as number,
    };
  }
}

/** A name as people spell it: "Saint", "Sankt" and "St" are one, and a city may be called so. */
function spellingsOf(name: string): string[] {
  if (name === '') return [];
  const saints = /\b(?:saint|sankt|sint|st)\b/g;
  const spellings = saints.test(name)
    ? ['saint', 'sankt', 'sint', 'st'].map((saint) => name.replace(saints, saint))
    : [name];
  return [...spellings, `${name} city`];
}

/** `isWhole`: whether the query is a whole name of the place. */
type Scored = { place: number; score: number; isWhole: boolean };

/**
 * Adds a place to the `limit` places with the highest scores, each once with its highest score, in order. Places of equal
 * scores are ascending.
 */
function addBest(best: Scored[], limit: number, added: Scored): void {
  const { place, score } = added;
  const isBefore = (other: Scored) => score > other.score || (score === other.score && place < other.place);
  const last = best.at(-1);
  if (best.length === limit && last && !isBefore(last)) return;
  const known = best.findIndex((other) => other.place === place);
  if (known >= 0) {
    if ((best[known]?.score ?? 0) >= score) return;
    best.splice(known, 1);
  }
  const position = best.findIndex(isBefore);
  best.splice(position < 0 ? best.length : position, 0, added);
  if (best.length > limit) best.pop();
}
