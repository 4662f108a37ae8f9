import { runFiles } from '../run-files.ts';

await runFiles('event-map', 'places');
