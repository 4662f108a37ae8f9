import { runFiles } from '../run-files.ts';

await runFiles('calendar*', 'import*', 'all-day-events');
