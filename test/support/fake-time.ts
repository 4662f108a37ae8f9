/** Gives a process another clock, with Debian's package libfaketime. */
import { access } from 'node:fs/promises';

const libraries = ['x86_64', 'aarch64'].map((name) => `/usr/lib/${name}-linux-gnu/faketime/libfaketime.so.1`);

async function findLibrary(): Promise<string | null> {
  for (const library of libraries) {
    const exists = await access(library).then(
      () => true,
      () => false,
    );
    if (exists) return library;
  }
  return null;
}

const library = await findLibrary();

/**
 * The variables of a process whose clock the variable `FAKETIME` shifts, such as `+90s`; null without the package.
 * Timers depend on the monotonic clock, which no adjustment of the time moves.
 */
export const fakeTime = library && { LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
