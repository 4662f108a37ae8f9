/**
 * Puts the metrics of several processes together. Each sample has its process as a label, so nothing is added up: the sum of
 * counters would fall when a process is replaced, and Prometheus would take the rest of the sum for an increase.
 */

/** @param texts in the format of Prometheus, as prom-client writes it: an empty line between two metrics */
export function mergeMetrics(texts: string[]): string {
  /** The samples of each metric, by its lines `# HELP` and `# TYPE`, which a text may have once. */
  const samples = new Map<string, string[]>();
  for (const metric of texts.flatMap((text) => text.trimEnd().split('\n\n'))) {
    const [help = '', type = '', ...own] = metric.split('\n');
    samples.getOrInsertComputed(`${help}\n${type}`, () => []).push(...own);
  }
  return `${[...samples].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`;
}
