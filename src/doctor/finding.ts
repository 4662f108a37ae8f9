/** What a check found, and how checks run: each by itself, in a limited time. */
import { withTimeout } from '#base';
import type { Context } from './context.ts';

export type State = 'good' | 'warning' | 'broken' | 'skipped';
/** `next`: what the operator does about it. */
export type Result = { state: State; text: string; next?: string };
export type Finding = { check: string } & Result;

export const good = (text: string): Result => ({ state: 'good', text });
export const warning = (text: string, next: string): Result => ({ state: 'warning', text, next });
export const broken = (text: string, next: string): Result => ({ state: 'broken', text, next });
export const skipped = (text: string, next?: string): Result => ({
  state: 'skipped',
  text,
  ...(next !== undefined && { next }),
});

/** In ms, for each check. */
export const checkLimitMs = 10_000;

export type Check = {
  name: string;
  /** How the names of the variables begin without which there is nothing to check. */
  variables?: string[];
  run(context: Context): Promise<Result | Result[]>;
};

/** Runs a check. What it throws, and that it takes too long, are findings. */
export async function examine(
  { name, variables = [], run }: Check,
  context: Context,
  limitMs = checkLimitMs,
): Promise<Finding[]> {
  const refused = variables.find((start) => isRefused(context.faults, start));
  const results = refused
    ? skipped(
        `The configuration is refused because of ${refused}.`,
        'Correct it, and run this command again.',
      )
    : await withTimeout(start(run, context), limitMs, () => lateError(limitMs)).catch(failure);
  return [results].flat().map((result) => ({ check: name, ...result }));
}

const isRefused = (faults: string[], start: string): boolean =>
  faults.some((fault) => fault.replace(/^Address \d+ of /, '').startsWith(start));

/** What a check throws before its first wait is a rejection too. */
const start = async (run: Check['run'], context: Context) => run(context);

const lateError = (limitMs: number) => new Error(`There was no result within ${limitMs / 1_000} s`);

export const failure = (error: unknown): Result =>
  broken(`The check failed: ${reasonOf(error)}.`, 'Correct the cause, and run this command again.');

/** The words of the system stand behind the error of `fetch`, and in the first of several. */
export function reasonOf(error: unknown): string {
  const { message, cause, code, errors } = error as NodeJS.ErrnoException & { errors?: Error[] };
  return (
    (cause as Error | undefined)?.message ||
    message ||
    errors?.[0]?.message ||
    code ||
    'for an unknown reason'
  );
}
