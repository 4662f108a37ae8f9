/** The name of a town in words that say more than it: a district, a province, "city of". */

/** In front of a name, in many languages. */
const before =
  /^(?:city of|town of|greater|metro|kota|kabupaten|kab\.|kec\.|ville de|commune de|comune di|ciudad de|cdad\.? de|municipio de|municipality of|thành phố|tp\.?|г\.?|гр\.|м\.|місто|город|град)\s+/iu;
/** Behind a name. */
const behind =
  / (?:governorate|province|prefecture|district|county|region|municipality|city|cbd|centre|center|centrum|zentrum|centro|centre-ville|kommune|kommun|oblast|d\.?\s?[cf]\.?|s\.?p\.?|cedex(?:\s\d+)?|shi|ku|si|gu)$/iu;
const province = / (?:\([A-Z]{2}\)|[A-Z]{2})$/u;
/** A district of a town: København V, Dublin 2, Praha 1. */
const district = / (?:\p{Lu}|[IVX]{1,5}\.?|\p{Nd}{1,2}\p{L}{0,2}\.?)$/u;
const aside = / ?\([^()]*\)/gu;

/** Names that the words may be, the words themselves first. At most eight. */
export function namesIn(text: string): string[] {
  const words = text.replace(/\s+/gu, ' ');
  const names = new Set<string>();
  const add = (name: string) => {
    const trimmed = name.replace(/^[\s.,:-]+|[\s,:-]+$/gu, '');
    if (/\p{L}/u.test(trimmed) && names.size < 8) names.add(trimmed);
  };
  add(words);
  add(words.replace(aside, ''));
  for (const pattern of [province, district, behind, before]) {
    for (const name of [...names]) add(name.replace(pattern, ''));
  }
  // Praha 1-Staré Město, Bratislava-Staré Mesto, Beyoğlu/İstanbul.
  add(words.replace(/ \p{Nd}.*$/su, ''));
  for (const part of words.split('/', 3).slice(0, words.includes('/') ? 2 : 0)) add(part);
  if (/\p{L}-\p{L}/u.test(words)) add(words.slice(0, words.indexOf('-')));
  return [...names];
}

const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const hangul = /\p{Script=Hangul}/u;

/** Whether a part has its towns inside it, the largest first and without spaces between them, or with endings. */
export const isUnspaced = (part: string): boolean => han.test(part) || hangul.test(part);

/** The towns and regions in an address of Eastern Asia, the smallest first: 神奈川県横浜市西区 has 横浜, then 神奈川. */
export function unspacedNames(part: string): string[] {
  if (hangul.test(part)) {
    return part
      .split(/\s+/)
      .flatMap((word) => /^(.{2,}?)(?:특별자치시|특별자치도|특별시|광역시|시|군)$/u.exec(word)?.[1] ?? [])
      .toReversed();
  }
  const text = part
    .replace(/^(?:〒?\s?[\d-]{3,8}\s*)+/u, '')
    .replace(/^(?:日本国?|中[国國]|台[湾灣])[、，\s]*/u, '');
  const [, region = '', city = '', ward = ''] =
    /^(.{1,3}?[都道府県]|.{1,6}?(?:省|自治区|特別行政区))?\s*(.{1,6}?[市郡])?\s*(.{1,6}?[区區町村县縣])?/u.exec(
      text,
    ) ?? [];
  const bare = (name: string) => (name.length > 2 ? name.slice(0, -1) : name);
  return [city, ward, region].filter((name) => name !== '').flatMap((name) => [bare(name), name]);
}
