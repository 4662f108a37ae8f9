/** Names of countries, as people write them at the end of an address. */
import { normalizeName } from '#lib/discovery/normalize-name.ts';
import { languages } from '#lib/language/languages.ts';

/** Names that `Intl` does not have. */
const otherNames: Record<string, string> = {
  usa: 'US',
  us: 'US',
  'united states of america': 'US',
  uk: 'GB',
  'great britain': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  uae: 'AE',
};

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
let codes: Map<string, string> | undefined;

/** The code of a country by its name in a language of the pages or in its own; undefined for another text. */
export function codeOfCountry(name: string): string | undefined {
  codes ??= readCodes();
  return codes.get(normalizeName(name));
}

function readCodes(): Map<string, string> {
  const found = new Map(Object.entries(otherNames));
  const regions = letters.flatMap((first) => letters.map((second) => first + second));
  for (const language of [...languages, 'nb']) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of regions) {
      const name = names.of(code);
      if (name !== undefined) found.set(normalizeName(name), code);
    }
  }
  return found;
}
