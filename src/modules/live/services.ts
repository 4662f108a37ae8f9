import type { EventServices } from '../events/services.ts';
import { Hub } from './hub.ts';
import { Streams } from './streams.ts';

export type LiveServices = EventServices & { hub: Hub; streams: Streams };

export const createLiveServices = ({ db, changeLog, sessions, clock }: EventServices) => ({
  hub: new Hub({ db, changeLog, sessions, clock }),
  streams: new Streams(clock),
});
