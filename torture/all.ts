/** Every torture, in the order of docs/reliability.md. */
import type { Program } from './program.ts';
import { oversell } from './programs/oversell.ts';

export const programs: Program[] = [oversell];
