/** What the other packages and the product need of any program: work in time and in turns, files, addresses, times. */
export { BackgroundLoad } from './background-load.ts';
export { inChunks } from './chunks.ts';
export {
  allowStandby,
  readParameter,
  type SessionAttributes,
  sessionAttributes,
  splitHosts,
  sslModes,
} from './database-url.ts';
export { FairQueue } from './fair-queue.ts';
export { freeBytesOf } from './free-bytes.ts';
export {
  type ClientNetworks,
  isKnownAddress,
  largestNetworkOf,
  largestOf,
  networksOf,
  truncateAddress,
} from './ip-address.ts';
export { keyedHash } from './keyed-hash.ts';
export { isLoopbackHost, isLoopbackUrl } from './loopback.ts';
export { makeDirectory } from './make-directory.ts';
export { mapInTurns, runInTurn } from './map-in-turns.ts';
export { nearestDirectory } from './nearest-directory.ts';
export { processesVariable, shareOf } from './process-share.ts';
export { isPublicAddress } from './public-address.ts';
export { lookupAllowed, noPublicAddress } from './public-lookup.ts';
export { numbersFrom } from './random-numbers.ts';
export { replaceFile } from './replace-file.ts';
export { messagesOfWorker, sendFromWorker } from './run-in-worker.ts';
export { readOrCreateSecret } from './secret-file.ts';
export { assertTransition, type Transitions } from './states.ts';
export { syncDirectory } from './sync-to-disk.ts';
export {
  dayMs,
  hourMs,
  minuteMs,
  nextUtcDay,
  parseDay,
  parseTimestamp,
  readFrom,
  readUntil,
  secondsToNextUtcDay,
  timestampBounds,
  utcDay,
  withPlus,
} from './time.ts';
export { bytesIn } from './typed-arrays.ts';
export { idAfter, maxId, minId, newId, newIdAt, packId, parseId, timeOfId, unpackId } from './uuid.ts';
export { lazily, patient, setPatience, singleFlight, Unavailable, withTimeout } from './waiting.ts';
