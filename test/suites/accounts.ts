import { runFiles } from '../run-files.ts';

await runFiles(
  'me',
  'names',
  'author-locks',
  'users',
  'user-search',
  'people-races',
  'delete-*',
  'export',
  'quotas',
  'blocks-and-privacy',
);
