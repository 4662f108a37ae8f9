import fc from 'fast-check';
import { openApi } from '../api.ts';
import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment } from '../environment.ts';
import { assignReachablePhones, type FuzzClient, noCreatedIds, play } from '../fuzz/fuzz-client.ts';
import { compareOperations } from '../fuzz/spec-oracle.ts';
import { anyStep, readOperations } from '../fuzz/steps.ts';
import type { Program } from '../program.ts';

/** FUZZ_SEED repeats the steps of another run, or starts a new one. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);
const clientCount = 16;

export const fuzz: Program = {
  name: 'fuzz',
  expectation:
    '50,000 requests generated from the OpenAPI document and from rules that were written by hand from the ' +
    'specification, in sequences: 0 5xx, 0 responses that violate the document or the rules, 0 invalid requests ' +
    'accepted, 0 valid requests refused, 0 operations that only one of them has',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const environment = await startEnvironment();
    const { contract, document } = await openApi(environment);
    const operations = readOperations(document);
    const clients = await openFuzzClients(environment, contract);
    const faults = compareOperations(document.paths);
    const results: string[] = [];
    const stepsPerClient = Math.ceil(size(50_000, 1_600) / clientCount);
    await runConcurrently(clientCount, clientCount, async (n) => {
      const client = clients[n] as FuzzClient;
      const steps = fc.sample(anyStep(operations), { numRuns: stepsPerClient, seed: seed + n });
      for (const [i, step] of steps.entries()) {
        const { fault, line, status, verdict } = await play(client, step).catch((error: Error) => ({
          fault: error.message,
          line: step.operation.path,
          status: 0,
          verdict: 'open',
        }));
        results.push(`${verdict} ${Math.floor(status / 100)}xx`);
        if (fault) faults.push(`${fault} (${status}): ${line} [client ${n}, step ${i}, seed ${seed}]`);
        if (results.length % 200 === 0) progress(`${results.length} requests, ${faults.length} faults`);
      }
    });
    const kinds = Object.entries(countValues(results))
      .sort()
      .map(([kind, times]) => `${kind} ${times}`);
    // Shows one fault of each kind, because most faults repeat many times.
    const distinct = new Map(
      faults.map((fault) => [
        fault
          .split(/[?/] ?|\{/, 5)
          .join('/')
          .slice(0, 60),
        fault,
      ]),
    );
    const examples = [...distinct.values()]
      .slice(0, 10)
      .map((fault) => `\n    ${fault}`)
      .join('');
    return {
      result: `${faults.length} faults in ${results.length.toLocaleString('en')} requests (${kinds.join(', ')})${examples}`,
      ok: faults.length === 0,
    };
  },
};

async function openFuzzClients(
  environment: Environment,
  contract: FuzzClient['contract'],
): Promise<FuzzClient[]> {
  const all = noCreatedIds();
  const clients: FuzzClient[] = [];
  for (let n = 0; n < clientCount; n++) {
    const people = await assignReachablePhones(environment, await environment.people(4));
    const own = noCreatedIds();
    for (const pools of [own, all]) pools.user.push(...people.map((owner) => ({ id: owner.id, owner })));
    const phone = `+1415555${1_000 + n}`;
    const email = `fuzz.${phone.slice(1)}@example.org`;
    const secrets = {
      phone,
      email,
      code: '',
      mailCode: '',
      refreshToken: '',
      confirmCode: '',
      codeOwner: null,
      calendar: '',
    };
    clients.push({ environment, contract, people, own, all, secrets });
  }
  return clients;
}
