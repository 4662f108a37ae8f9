import { defineModule } from '../../http/define-module.ts';
import { answerAsGuest } from './answer-as-guest.ts';
import { eraseOldGuests } from './erase-guests.ts';
import { changeGuest, exportGuest, getGuest, leaveAsGuest } from './guest.ts';
import { requestGuestCode } from './request-guest-code.ts';
import type { GuestServices } from './services.ts';
import { listMyGuests, takeOver } from './take-over.ts';

/** Guests without an account: their answers, tokens and data */
export const guests = defineModule<GuestServices>({
  tag: 'Guests',
  endpoints: {
    requestGuestCode,
    answerAsGuest,
    getGuest,
    changeGuest,
    leaveAsGuest,
    exportGuest,
    listMyGuests,
    takeOver,
  },
  jobs: [{ name: 'erase guests of old events', everyMs: 60 * 60_000, run: eraseOldGuests }],
});
