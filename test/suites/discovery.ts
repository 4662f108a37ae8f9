import { runFiles } from '../run-files.ts';

await runFiles(
  'event-list*',
  'event-search',
  'discovery-index',
  'list-freshness',
  'own-lists',
  'preloaded-events',
  'record-caches',
  'row-versions',
);
