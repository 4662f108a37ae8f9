/** The metrics of prom-client as messages of OTLP, with the same names and labels. */
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import { nanosOf, toDouble, toKeyValues } from './otlp.ts';

type Value = MetricValue<string> & { metricName?: string };
type Metric = Omit<MetricObjectWithValues<MetricValue<string>>, 'type'> & { type: unknown };

/** Values count from the start of the process. */
const cumulative = 2;
const startTimeUnixNano = nanosOf(performance.timeOrigin);

export async function readMetrics(registry: Registry): Promise<object[]> {
  const times = { startTimeUnixNano, timeUnixNano: nanosOf(Date.now()) };
  const metrics: Metric[] = await registry.getMetricsAsJSON();
  return metrics.flatMap(({ name, help, type, values }) => {
    if (values.length === 0) return [];
    const points = { aggregationTemporality: cumulative, dataPoints: pointsOf(type, values, times) };
    if (type === 'histogram') return { name, description: help, histogram: points };
    if (type === 'counter') return { name, description: help, sum: { ...points, isMonotonic: true } };
    return { name, description: help, gauge: { dataPoints: points.dataPoints } };
  });
}

const pointsOf = (type: unknown, values: Value[], times: object): object[] =>
  type === 'histogram'
    ? seriesOf(values).map((series) => ({ ...times, ...histogramPoint(series) }))
    : values.map(({ labels, value }) => ({
        ...times,
        attributes: toKeyValues(labels),
        asDouble: toDouble(value),
      }));

/** The values of a histogram by their labels, without the limit of a bucket. */
function seriesOf(values: Value[]): Value[][] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series.values()];
}

/** The buckets of Prometheus contain those before them. */
function histogramPoint(series: Value[]): object {
  const totalOf = (suffix: string) =>
    series.find(({ metricName = '' }) => metricName.endsWith(suffix))?.value ?? 0;
  const buckets = series.filter(({ labels }) => labels.le !== undefined);
  const { le: _, ...labels } = buckets[0]?.labels ?? {};
  return {
    attributes: toKeyValues(labels),
    count: `${totalOf('_count')}`,
    sum: toDouble(totalOf('_sum')),
    explicitBounds: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
    bucketCounts: buckets.map(({ value }, i) => `${value - (buckets[i - 1]?.value ?? 0)}`),
  };
}
