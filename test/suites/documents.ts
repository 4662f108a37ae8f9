import { runFiles } from '../run-files.ts';

await runFiles(
  'openapi',
  'docs',
  'readme',
  'spec-coverage',
  'suites',
  'statistics',
  'dependencies',
  'with-node',
);
