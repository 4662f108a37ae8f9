import type { AccountServices } from '../accounts/services.ts';
import type { PeopleServices } from '../people/services.ts';
import { createGuestCheck, type GuestCheck } from './audience.ts';
import { createEventCache, type EventCache } from './event-cache.ts';
import { createInvitedCheck, type InvitedCheck } from './standings.ts';
import { createViewerStates, type ViewerStates } from './viewer-states.ts';

export type EventServices = PeopleServices &
  Pick<AccountServices, 'privacyHooks' | 'restoredDateHooks'> & {
    events: EventCache;
    viewerStates: ViewerStates;
    isGuest: GuestCheck;
    isInvited: InvitedCheck;
  };

export const createEventServices = ({ db, changeLog, replicas, config }: PeopleServices) => ({
  events: createEventCache({ changeLog, replicas }, config.cacheBytes),
  viewerStates: createViewerStates(db),
  isGuest: createGuestCheck(db),
  isInvited: createInvitedCheck(db),
});
