import { runFiles } from '../run-files.ts';

await runFiles(
  'http-edges',
  'regular-expressions',
  'conditional',
  'preconditions',
  'compression',
  'content-encoding',
  'response-headers',
  'access-log',
  'limits',
  'idempotency',
  'operators',
  'clock',
  'metrics',
  'turns',
  'housekeeping',
);
