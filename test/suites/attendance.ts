import { runFiles } from '../run-files.ts';

await runFiles('booking*', 'waitlist-switched-off', 'rsvps', 'party-size', 'guests');
