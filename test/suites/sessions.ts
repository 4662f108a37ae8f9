import { runFiles } from '../run-files.ts';

await runFiles('sign-in', 'sessions', 'browser-session*', 'code-limits', 'cross-site-requests', 'sms');
