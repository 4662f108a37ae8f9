import { runFiles } from '../run-files.ts';

await runFiles(
  'me',
  'names',
  'users',
  'user-search',
  'people-races',
  'delete-*',
  'export',
  'quotas',
  'blocks-and-privacy',
);
