import type { Walk } from '../alerts/lab.ts';
import { Lab } from '../alerts/lab.ts';
import { rules } from '../alerts/prometheus.ts';
import { walks } from '../alerts/walks.ts';
import type { Outcome, Program, ProgramContext } from '../program.ts';
import { requireCommands } from '../requirements.ts';
import { runProgram } from '../run-program.ts';

type Walked = Outcome & { walk: Walk; lab: Lab | null };

export const alerts: Program = {
  name: 'alerts',
  expectation:
    'the fault of each alert of deploy/prometheus-rules.yaml is caused on a server that a Prometheus scrapes, with a second for ' +
    'each minute of the rules: the alert is silent before, fires, its section of docs/operating.md is followed to the letter, and ' +
    'the alert ends',
  async run(context) {
    await requireCommands({ prometheus: 'prometheus', psql: 'postgresql-client' });
    const isQuick = context.size(0, 1) === 1;
    const chosen = walks.filter((walk) => walk.alert.includes(context.only) && (walk.isQuick || !isQuick));
    const walked: Walked[] = [];
    for (const walk of chosen) {
      context.progress(`${walk.alert}: ${walk.fault}`);
      walked.push(await take(walk, context));
    }
    const names = Array.from(rules.matchAll(/^ +- alert: (\w+)$/gm), ([, name = '']) => name);
    const missing = names.filter((name) => !walks.some(({ alert }) => alert === name));
    const left = isQuick ? [] : leftInstructions(walked);
    const failed = walked.filter(({ ok }) => !ok).length;
    const skipped = walked.filter(({ isSkipped }) => isSkipped).length;
    return {
      result:
        `${new Set(chosen.map(({ alert }) => alert)).size} of ${names.length} alerts, ${walked.length - failed - skipped} of ` +
        `${chosen.length} faults: fired and ended; ${missing.length} alerts without a fault` +
        [...walked.map(describe), ...missing, ...left].map((line) => `\n    ${line}`).join(''),
      ok: failed + missing.length + left.length === 0,
    };
  },
};

/** Takes a walk with an environment and a Prometheus of its own. */
async function take(walk: Walk, { size, progress }: ProgramContext): Promise<Walked> {
  let lab: Lab | null = null;
  const { name, expectation } = alerts;
  const run: Program['run'] = async (context) => {
    lab = await Lab.open(context, walk);
    await walk.run(lab);
    const [fires = 0, ends = 0] = lab.seconds;
    return {
      result: `fired after ${fires.toFixed(0)} s, ended ${ends.toFixed(0)} s after the remedy`,
      ok: true,
    };
  };
  const options = { quick: size(0, 1) === 1, progress };
  const outcome = await runProgram({ name, expectation, run }, options).catch(
    (error: Error): Outcome => ({ result: error.stack ?? error.message, ok: false }),
  );
  return { ...outcome, walk, lab };
}

function describe({ walk: { alert, fault }, lab, result }: Walked): string {
  const notHere = [...(lab?.notHere ?? [])].map(
    ([instruction, reason]) => `; not run here: ${instruction} (${reason})`,
  );
  return `${alert}, ${fault}: ${result}${notHere.join('')}`;
}

/** The instructions of the sections that no walk of the alert has followed. */
function leftInstructions(walked: Walked[]): string[] {
  const labs = Map.groupBy(
    walked.filter(({ ok, isSkipped }) => ok && !isSkipped),
    ({ walk }) => walk.alert,
  );
  return [...labs].flatMap(([alert, all]) => {
    const followed = new Set(all.flatMap(({ lab }) => [...(lab?.followed ?? [])]));
    const instructions = new Set(all.flatMap(({ lab }) => lab?.instructions ?? []));
    return [...instructions.difference(followed)].map((each) => `${alert}: not followed: ${each}`);
  });
}
