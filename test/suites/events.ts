import { runFiles } from '../run-files.ts';

await runFiles(
  'events',
  'event-changes',
  'event-copies',
  'event-length',
  'event-places',
  'event-races',
  'event-records',
  'returned-fields',
  'hidden-events',
  'timestamp-bounds',
);
