/** What a torture is: a program that mistreats Potluck over HTTP and says in one figure how it bore it. */
import type { Environment, EnvironmentOptions } from './environment.ts';

export type Outcome = { figure: string; ok: boolean };

export type Program = {
  name: string;
  /** What must hold, as docs/reliability.md has it. */
  promise: string;
  /** Runs with `npm test` too, at a size that takes seconds. */
  quick?: true;
  run(torture: Torture): Promise<Outcome>;
};

export type Torture = {
  /** A number at full size, or the smaller one for `npm test`. */
  size(full: number, quick: number): number;
  /** A fresh database and servers on it; closed after the program. */
  open(options?: EnvironmentOptions): Promise<Environment>;
  /** Says how far it is; the last thing said is shown. */
  progress(text: string): void;
};
