import { runFiles } from '../run-files.ts';

await runFiles(
  'database-connections',
  'distribution',
  'partitions',
  'round-trips',
  'transactions',
  'write-*',
);
