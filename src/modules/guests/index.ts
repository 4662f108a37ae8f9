import { defineModule } from '../../http/define-module.ts';
import { answerAsGuest } from './answer-as-guest.ts';
import { eraseOldGuests } from './erase-guests.ts';
import { changeGuest, exportGuest, getGuest, leaveAsGuest } from './guest.ts';
import { keepRemoved } from './keep-removed.ts';
import { addGuests } from './organizer/add-guests.ts';
import { changeAddedGuest } from './organizer/change-added-guest.ts';
import { claimForGuest, endClaim } from './organizer/claims.ts';
import { downloadGuests } from './organizer/guests-csv.ts';
import { removeGuest } from './organizer/remove-guest.ts';
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
    addGuests,
    changeAddedGuest,
    removeGuest,
    downloadGuests,
    claimForGuest,
    endClaim,
  },
  contactHooks: [keepRemoved],
  jobs: [{ name: 'erase guests of old events', everyMs: 60 * 60_000, run: eraseOldGuests }],
});
