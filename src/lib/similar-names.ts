/** Finds environment variables that are probably mistyped: `RATELIMIT` in place of `RATE_LIMIT`. */
import { editDistance } from '#record-index';

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
  const maxDistance = target.length >= minLengthForTwo ? 2 : 1;
  return editDistance(text, target, maxDistance) <= maxDistance;
}
