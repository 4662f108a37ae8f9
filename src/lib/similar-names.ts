/** Finds environment variables that are probably mistyped: `RATELIMIT` in place of `RATE_LIMIT`. */

/** Shorter names resemble too many others: a difference of one letter makes PORT from SORT. */
const minLength = 6;
/** From this length on, two letters may differ. */
const minLengthForTwo = 10;

/** Without case, separators and the name of the program. */
const reduced = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z\d]/g, '')
    .replace(/^POTLUCK/, '');

/**
 * Returns the variables in `given` that are none of `known`, but resemble one of them.
 * Variables that npm sets for its scripts never do.
 */
export function findMistyped(given: string[], known: ReadonlySet<string>): { name: string; known: string }[] {
  const targets = [...known].map((name) => ({ name, text: reduced(name) }));
  return given
    .filter((name) => !known.has(name) && !name.startsWith('npm_'))
    .flatMap((name) => {
      const text = reduced(name);
      const nearest = targets.find((target) => resembles(text, target.text));
      return nearest ? [{ name, known: nearest.name }] : [];
    });
}

function resembles(text: string, target: string): boolean {
  if (target.length < minLength) return false;
  return editDistance(text, target) <= (target.length >= minLengthForTwo ? 2 : 1);
}

/** The number of letters to insert, delete, replace or exchange with their neighbour. */
function editDistance(a: string, b: string): number {
  // Much longer names are not similar, and need no computation.
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let twoBefore: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  const at = (row: number[], j: number) => row[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(before, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const isExchange = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchange ? at(twoBefore, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, at(before, j) + 1, at(row, j - 1) + 1, exchanged));
    }
    [twoBefore, before] = [before, row];
  }
  return at(before, b.length);
}
