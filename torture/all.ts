/** Every torture, in the order of docs/reliability.md. */
import type { Program } from './program.ts';
import { counters } from './programs/counters.ts';
import { ledger } from './programs/ledger.ts';
import { otpGuess } from './programs/otp-guess.ts';
import { oversell } from './programs/oversell.ts';
import { refreshRace } from './programs/refresh-race.ts';
import { revocation } from './programs/revocation.ts';

export const programs: Program[] = [oversell, ledger, counters, otpGuess, refreshRace, revocation];
