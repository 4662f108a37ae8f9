import fc from 'fast-check';
import { openApi } from '../api.ts';
import { each } from '../client.ts';
import { count } from '../counts.ts';
import type { Environment } from '../environment.ts';
import { type FuzzClient, noCreatedIds, play, reachable } from '../fuzz/fuzz-client.ts';
import { anyStep, readOperations } from '../fuzz/steps.ts';
import type { Program } from '../program.ts';

/** FUZZ_SEED plays the steps of another run again, or of a new one. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);
const laneCount = 16;

export const fuzz: Program = {
  name: 'fuzz',
  promise:
    '50,000 requests made from the OpenAPI document, in sequences: 0 5xx, 0 answers off the document, 0 invalid accepted, 0 valid refused',
  quick: true,
  async run({ size, open, progress }) {
    const environment = await open();
    const { contract, document } = await openApi(environment);
    const operations = readOperations(document.paths);
    const lanes = await openLanes(environment, contract);
    const faults: string[] = [];
    const seen: string[] = [];
    const perLane = Math.ceil(size(50_000, 640) / laneCount);
    await each(laneCount, laneCount, async (n) => {
      const lane = lanes[n] as FuzzClient;
      const steps = fc.sample(anyStep(operations), { numRuns: perLane, seed: seed + n });
      for (const [i, step] of steps.entries()) {
        const { fault, line, status, verdict } = await play(lane, step).catch((error: Error) => ({
          fault: error.message,
          line: step.operation.path,
          status: 0,
          verdict: 'open',
        }));
        seen.push(`${verdict} ${Math.floor(status / 100)}xx`);
        if (fault) faults.push(`${fault} (${status}): ${line} [lane ${n}, step ${i}, seed ${seed}]`);
        if (seen.length % 200 === 0) progress(`${seen.length} requests, ${faults.length} faults`);
      }
    });
    const kinds = Object.entries(count(seen))
      .sort()
      .map(([kind, times]) => `${kind} ${times}`);
    // One of a kind: most faults come by the hundred.
    const distinct = new Map(
      faults.map((fault) => [
        fault
          .split(/[?/] ?|\{/, 5)
          .join('/')
          .slice(0, 60),
        fault,
      ]),
    );
    const list = [...distinct.values()]
      .slice(0, 10)
      .map((fault) => `\n    ${fault}`)
      .join('');
    return {
      figure: `${faults.length} faults in ${seen.length.toLocaleString('en')} requests (${kinds.join(', ')})${list}`,
      ok: faults.length === 0,
    };
  },
};

async function openLanes(environment: Environment, contract: FuzzClient['contract']): Promise<FuzzClient[]> {
  const all = noCreatedIds();
  const lanes: FuzzClient[] = [];
  for (let n = 0; n < laneCount; n++) {
    const people = await reachable(environment, await environment.people(4));
    const own = noCreatedIds();
    for (const pools of [own, all]) pools.user.push(...people.map((owner) => ({ id: owner.id, owner })));
    const phone = `+1415555${1_000 + n}`;
    const secrets = { phone, code: '', refreshToken: '', confirmCode: '', confirmer: null, calendar: '' };
    lanes.push({ environment, contract, people, own, all, secrets });
  }
  return lanes;
}
