import { runFiles } from '../run-files.ts';

await runFiles('admin-*', 'audit', 'suspended-sessions');
