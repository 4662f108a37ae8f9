/** The metrics of the process and of Node.js, of which some are corrected. */
import { readdirSync, readFileSync } from 'node:fs';
import { collectDefaultMetrics, Gauge, register } from 'prom-client';

collectDefaultMetrics();
// Gauges that have the names of counters. Each is the sum of a metric without `_total` that has a label `type`.
for (const kind of ['handles', 'requests', 'resources'])
  register.removeSingleMetric(`nodejs_active_${kind}_total`);
if (process.platform === 'linux') correctDescriptors();

/** The gauge of the library keeps its last value when all descriptors are in use: to list them needs one more. */
function correctDescriptors(): void {
  const name = 'process_open_fds';
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  register.removeSingleMetric(name);
  new Gauge({
    name,
    help: 'Number of open file descriptors.',
    collect() {
      this.set(countDescriptors() ?? Number(limit));
    },
  });
}

/** Returns null if there is no free descriptor. */
function countDescriptors(): number | null {
  try {
    // Without the one of the list.
    return readdirSync('/proc/self/fd').length - 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EMFILE') return null;
    throw error;
  }
}
