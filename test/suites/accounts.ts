import { runFiles } from '../run-files.ts';

await runFiles(
  'me',
  'users',
  'user-search',
  'people-races',
  'delete-*',
  'export',
  'quotas',
  'blocks-and-privacy',
);
