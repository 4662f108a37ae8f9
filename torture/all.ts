/** Every torture, in the order of docs/reliability.md. */
import type { Program } from './program.ts';
import { counters } from './programs/counters.ts';
import { enumeration } from './programs/enumeration.ts';
import { geo } from './programs/geo.ts';
import { hostile } from './programs/hostile.ts';
import { ledger } from './programs/ledger.ts';
import { matrix } from './programs/matrix.ts';
import { otpGuess } from './programs/otp-guess.ts';
import { oversell } from './programs/oversell.ts';
import { pumping } from './programs/pumping.ts';
import { refreshRace } from './programs/refresh-race.ts';
import { restore } from './programs/restore.ts';
import { revocation } from './programs/revocation.ts';
import { supply } from './programs/supply.ts';

export const programs: Program[] = [
  oversell,
  ledger,
  counters,
  otpGuess,
  enumeration,
  pumping,
  refreshRace,
  revocation,
  matrix,
  hostile,
  geo,
  restore,
  supply,
];
