/**
 * Uses a share of one processor core and does nothing else. Arguments: the share (0 to 1), ms. A control: what a client
 * that is as busy as an attacker costs others on the same machine, without a request.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const [share = 0, ms = 0] = process.argv.slice(2).map(Number);
const periodMs = 10;
const until = performance.now() + ms;

while (performance.now() < until) {
  const since = performance.now();
  while (performance.now() - since < share * periodMs);
  await sleep(Math.max(since + periodMs - performance.now(), 0));
}
