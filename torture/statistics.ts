/** Compares the distributions of two samples. */

export type SampleComparison = {
  /** The largest distance between the two cumulative distributions, from 0 to 1. */
  distance: number;
  /** The probability of at least this distance if both samples come from one distribution. */
  p: number;
};

/**
 * The two-sample Kolmogorov-Smirnov test, which sees any difference: in the centre, the spread or the tail.
 *
 * Distance and probability follow Press, Teukolsky, Vetterling and Flannery, "Numerical Recipes", 3rd
 * edition, section 14.3.3: Smirnov's asymptotic distribution with the correction of Stephens (1970) for
 * samples of limited size, which is accurate from an effective size of 4. Ties make the test conservative:
 * equal values never increase the distance.
 */
export function compareSamples(first: number[], second: number[]): SampleComparison {
  const [a, b] = [first, second].map((values) => values.toSorted((x, y) => x - y)) as [number[], number[]];
  let [i, j, distance] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i] as number, b[j] as number);
    while (a[i] === value) i++;
    while (b[j] === value) j++;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const effectiveSize = Math.sqrt((a.length * b.length) / (a.length + b.length));
  return { distance, p: kolmogorovTail((effectiveSize + 0.12 + 0.11 / effectiveSize) * distance) };
}

/** The probability that a variable with the Kolmogorov distribution exceeds `value`. */
function kolmogorovTail(value: number): number {
  // The series converges slowly near 0, where the probability is 1 to more than ten digits.
  if (value < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k++) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * value * value);
  return Math.min(1, Math.max(0, sum));
}
