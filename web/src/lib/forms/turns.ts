/** One after another, in the order of the calls. */

/** Resolves when all earlier turns have ended, with the function that ends this one. */
export type NextTurn = () => Promise<() => void>;

export function createTurns(): NextTurn {
  let last = Promise.resolve();
  return () =>
    new Promise((begin) => {
      last = last.then(() => new Promise<void>((end) => begin(end)));
    });
}
