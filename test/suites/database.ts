import { runFiles } from '../run-files.ts';

await runFiles('database-connections', 'write-*');
