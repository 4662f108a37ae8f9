const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const pairs = letters.flatMap((first) => letters.map((second) => first + second));

/**
 * The country in which the browser is, such as `SE`: one that has the time zone of the browser, preferably that of a language of
 * the browser; where the zone is of no country, the region that a language names. Null if there is none.
 */
export function findCountry(): string | null {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const regions = navigator.languages.map((tag) => new Intl.Locale(tag).maximize().region ?? '');
  const hasZone = (region: string) => zonesOf(region).includes(zone);
  const named = navigator.languages.map((tag) => new Intl.Locale(tag).region).find(Boolean);
  return regions.find(hasZone) ?? pairs.find(hasZone) ?? named ?? null;
}

/** Older browsers have a property in place of the method. */
function zonesOf(region: string): string[] {
  if (region === '') return [];
  const locale: Partial<Intl.Locale> & { timeZones?: string[] } = new Intl.Locale('und', { region });
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}
