/** Names of countries at the end of an address, or at its start, in many languages. */
import { lazily, mapInTurns } from '#base';
import { normalizeName } from '../names.ts';
import placeNames from '../place-names.json' with { type: 'json' };

/** ISO 3166 alpha-2 by normalized name. */
export type CountryNames = Map<string, string>;

/** Of addresses. Of equal names, the earlier language decides. */
const languages = (
  'en de fr es it pt nl sv da nb fi is pl cs sk hu ro bg el tr ru uk sr hr sl mk sq et lv lt ga ca eu gl ar he fa hi bn ' +
  'th vi id ms ja zh zh-Hant ko ka hy az kk'
).split(' ');
/** Codes that `Intl` names and that are no countries, such as the European Union, or former ones. */
const others = new Set(
  'AC AN BU CP CQ CS DD DG EA EU EZ FX IC NT QO SU TA TP UN XA XB YD YU ZR ZZ'.split(' '),
);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codes = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => !others.has(code));

/** Takes about 150 ms, in many turns of the event loop: a server does it after its start. */
export const loadCountryNames = lazily(async (): Promise<CountryNames> => {
  const found: CountryNames = new Map();
  for (const [name, code] of Object.entries(placeNames.countryAliases)) found.set(normalizeName(name), code);
  await mapInTurns(languages, (language) => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of codes) {
      const name = normalizeName(names.of(code) ?? '');
      if (name !== '' && !found.has(name)) found.set(name, code);
    }
  });
  return found;
});

/** The most words of a name of a country that are looked for behind a town without a comma. */
const maxWords = 4;

/** The country that the last words name, if others are in front of it: "Košice Slovakia". */
export function countryBehind(
  text: string,
  countries: CountryNames,
): { country: string; front: string } | null {
  const words = text.split(/\s+/);
  for (let count = Math.min(maxWords, words.length - 1); count > 0; count--) {
    const name = words.slice(-count).join(' ');
    const country = countries.get(normalizeName(name));
    if (country) return { country, front: words.slice(0, -count).join(' ') };
  }
  return null;
}

type Region = { country: string; region: string };
const regions = Object.entries(placeNames.regions).flatMap(([country, all]) =>
  all.map(({ code, names }) => ({ country, region: (names.at(-1) ?? code).toUpperCase(), names })),
);

/** The states and provinces that a part names; two for `WA`. An abbreviation has capital letters. */
export const regionsNamed = (part: string): Region[] =>
  regions
    .filter(({ region, names }) =>
      part.replace(/\.$/, '') === region ? true : names.slice(0, -1).includes(normalizeName(part)),
    )
    .map(({ country, region }) => ({ country, region }));
