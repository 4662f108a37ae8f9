import { runFiles } from '../run-files.ts';

await runFiles(
  'sign-in',
  'sessions',
  'browser-session*',
  'code-limits',
  'code-lockout',
  'cross-site-requests',
  'sms',
);
