/** Where a walk causes the fault of an alert: servers, a Prometheus that scrapes them, and the alert's section of the guide. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { potluck, type Server } from '../../test/support/processes.ts';
import type { Environment, EnvironmentOptions } from '../environment.ts';
import type { ProgramContext } from '../program.ts';
import { type Alert, openPrometheus, type Prometheus } from './prometheus.ts';
import { instructionsOf } from './runbook.ts';

export type Walk = {
  alert: string;
  /** Labels that the alert must have, for alerts with several faults. */
  labels?: Record<string, string>;
  fault: string;
  /** `--quick` includes it. */
  isQuick?: true;
  run(lab: Lab): Promise<void>;
};

/** A whole job of the server runs once a minute, and an alert about the last two hours lasts for two minutes here. */
const timeoutMs = 200_000;

export class Lab {
  readonly context: ProgramContext;
  /** Instructions that were followed, and those that cannot be followed here with the reason. */
  readonly followed = new Set<string>();
  readonly notHere = new Map<string, string>();
  /** In seconds: from the fault to the alert, and from its remedy to the end of the alert. */
  readonly seconds: number[] = [];
  readonly #prometheus: Prometheus;
  readonly #walk: Walk;
  /** Of the section that the alert names. */
  instructions: string[] = [];

  private constructor(context: ProgramContext, prometheus: Prometheus, walk: Walk) {
    this.context = context;
    this.#prometheus = prometheus;
    this.#walk = walk;
  }

  static async open(context: ProgramContext, walk: Walk): Promise<Lab> {
    return new Lab(context, await openPrometheus(context), walk);
  }

  /** Starts a database and a server, which Prometheus scrapes. */
  async start(options: EnvironmentOptions = {}): Promise<Environment> {
    const environment = await this.context.startEnvironment({ servers: 1, ...options });
    await this.watch(environment.servers);
    return environment;
  }

  /** Scrapes these servers from now on. Resolves when Prometheus knows them, so that a change is seen as one. */
  async watch(servers: Pick<Server, 'url'>[]): Promise<void> {
    await this.#prometheus.watch(servers);
    if (servers.length === 0) return;
    const areKnown = `count(sum_over_time(up[10s]) >= 3) >= ${servers.length}`;
    for (let waited = 0; (await this.#prometheus.query(areKnown)).length === 0; waited += 200) {
      assert.ok(waited < timeoutMs, 'Prometheus gets no metrics of the servers');
      await sleep(200);
    }
  }

  /** Causes the fault. Fails if the alert fires before, or not at all. */
  async fires(cause: () => Promise<unknown>): Promise<void> {
    assert.equal(await this.#find(), undefined, 'the alert fires without the fault');
    const alert = await this.#until(cause, (found) => found !== undefined);
    assert.ok(alert);
    this.instructions = instructionsOf(alert.annotations.runbook);
  }

  /** Mends the fault. Fails if the alert goes on. */
  async ends(mend: () => Promise<unknown>): Promise<void> {
    await this.#until(mend, (found) => found === undefined);
  }

  /** The instruction of the section that begins so. */
  follow(beginning: string): string {
    const instruction = this.instructions.find((each) => each.startsWith(beginning));
    assert.ok(instruction, `the section does not say ${beginning}`);
    this.followed.add(instruction);
    return instruction;
  }

  /** Declares that an instruction cannot be followed here. */
  leaveOut(beginning: string, reason: string): void {
    this.notHere.set(this.follow(beginning), reason);
  }

  /** Evaluates the expression of the section that begins so, which must have a result. */
  async query(beginning: string): Promise<void> {
    const expression = this.follow(beginning);
    assert.notEqual((await this.#prometheus.query(expression)).length, 0, `${expression} has no result`);
  }

  /** Looks for the words of the section in the log of the server, which follow within seconds. */
  async readLog({ output }: Pick<Server, 'output'>, words: string): Promise<void> {
    const text = this.instructions.includes(words) ? this.follow(words) : words;
    for (let waited = 0; !output.out.includes(text); waited += 100) {
      assert.ok(waited < 10_000, `the log does not say ${text}: ${output.out.slice(-2_000)}`);
      await sleep(100);
    }
  }

  /** Runs a command of the section, with words in place of those in capitals. @returns its output */
  async command(
    beginning: string,
    { env }: Environment,
    words: Record<string, string> = {},
  ): Promise<string> {
    const [program, ...args] = this.follow(beginning).split(' ');
    assert.equal(program, 'bin/potluck');
    const run = potluck(
      args.map((word) => words[word] ?? word),
      { env },
    );
    await run.ended;
    return run.output.out + run.output.err;
  }

  async #find(): Promise<Alert | undefined> {
    const { alert, labels = {} } = this.#walk;
    return (await this.#prometheus.alerts()).find(
      (each) =>
        each.labels.alertname === alert &&
        each.state === 'firing' &&
        Object.entries(labels).every(([name, value]) => each.labels[name] === value),
    );
  }

  async #until(
    action: () => Promise<unknown>,
    isDone: (found: Alert | undefined) => boolean,
  ): Promise<Alert | undefined> {
    const since = performance.now();
    await action();
    for (;;) {
      const found = await this.#find();
      const ms = performance.now() - since;
      if (isDone(found)) {
        this.seconds.push(ms / 1_000);
        return found;
      }
      assert.ok(ms < timeoutMs, `${this.#walk.alert} ${found ? 'does not end' : 'does not fire'}`);
      await sleep(200);
    }
  }
}
