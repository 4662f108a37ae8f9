/** A torture program puts Potluck under stress over HTTP and reports the result in one line. */
import type { Environment, EnvironmentOptions } from './environment.ts';

export type Outcome = {
  result: string;
  ok: boolean;
  /** The machine lacks something that the program needs; `result` names it. */
  isSkipped?: true;
};

/** The machine lacks a package or a privilege. The message names it, and how to get it. */
export class MissingRequirement extends Error {}

export type Program = {
  name: string;
  /** The test and the expected result, as in docs/reliability.md. */
  expectation: string;
  /** `npm run test:slow` includes the program, at a size that takes seconds. */
  quick?: true;
  run(context: ProgramContext): Promise<Outcome>;
};

export type ProgramContext = {
  /** Chooses between the full size and the smaller one of `--quick`. */
  size(full: number, quick: number): number;
  /** Measure only the routes, or cause only the alerts, whose names contain this text. */
  only: string;
  /** Starts servers on a new database; both are closed after the program. */
  startEnvironment(options?: EnvironmentOptions): Promise<Environment>;
  /** Runs `work` when the program has ended and its environments are closed; the last one added runs first. */
  addCleanup(work: () => Promise<unknown>): void;
  /** Shows the progress; each text replaces the previous one. */
  progress(text: string): void;
};
