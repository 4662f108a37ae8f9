import { runFiles } from '../run-files.ts';

await runFiles('conversations', 'message*');
