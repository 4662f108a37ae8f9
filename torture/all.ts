/** All torture programs, in the order of docs/reliability.md. */
import type { Program } from './program.ts';
import { alerts } from './programs/alerts.ts';
import { announcement } from './programs/announcement.ts';
import { booking } from './programs/booking.ts';
import { bucketAway } from './programs/bucket-away.ts';
import { clockSkew } from './programs/clock-skew.ts';
import { cluster } from './programs/cluster.ts';
import { clusterRestore } from './programs/cluster-restore.ts';
import { counters } from './programs/counters.ts';
import { crash } from './programs/crash.ts';
import { descriptors } from './programs/descriptors.ts';
import { discovery } from './programs/discovery.ts';
import { diskFull } from './programs/disk-full.ts';
import { enumeration } from './programs/enumeration.ts';
import { failover } from './programs/failover.ts';
import { fairness } from './programs/fairness.ts';
import { fuzz } from './programs/fuzz.ts';
import { geo } from './programs/geo.ts';
import { guestClaims } from './programs/guest-claims.ts';
import { guests } from './programs/guests.ts';
import { hostile } from './programs/hostile.ts';
import { ledger } from './programs/ledger.ts';
import { limit } from './programs/limit.ts';
import { live } from './programs/live.ts';
import { lockOut } from './programs/lock-out.ts';
import { mail } from './programs/mail.ts';
import { mailCrowd } from './programs/mail-crowd.ts';
import { matrix } from './programs/matrix.ts';
import { memory } from './programs/memory.ts';
import { migrate } from './programs/migrate.ts';
import { network } from './programs/network.ts';
import { otpGuess } from './programs/otp-guess.ts';
import { outage } from './programs/outage.ts';
import { oversell } from './programs/oversell.ts';
import { pages } from './programs/pages.ts';
import { power } from './programs/power.ts';
import { pumping } from './programs/pumping.ts';
import { refreshRace } from './programs/refresh-race.ts';
import { restore } from './programs/restore.ts';
import { retries } from './programs/retries.ts';
import { revocation } from './programs/revocation.ts';
import { saturation } from './programs/saturation.ts';
import { secrets } from './programs/secrets.ts';
import { slow } from './programs/slow.ts';
import { slowReader } from './programs/slow-reader.ts';
import { slowUpload } from './programs/slow-upload.ts';
import { soak } from './programs/soak.ts';
import { stop } from './programs/stop.ts';
import { supply } from './programs/supply.ts';
import { upgrade } from './programs/upgrade.ts';

export const programs: Program[] = [
  oversell,
  ledger,
  booking,
  guestClaims,
  counters,
  retries,
  live,
  otpGuess,
  lockOut,
  enumeration,
  pumping,
  guests,
  limit,
  refreshRace,
  revocation,
  matrix,
  fuzz,
  hostile,
  geo,
  discovery,
  memory,
  fairness,
  pages,
  secrets,
  crash,
  mail,
  mailCrowd,
  announcement,
  power,
  diskFull,
  descriptors,
  clockSkew,
  bucketAway,
  outage,
  network,
  failover,
  cluster,
  clusterRestore,
  saturation,
  slow,
  slowUpload,
  slowReader,
  soak,
  stop,
  migrate,
  upgrade,
  restore,
  supply,
  alerts,
];
