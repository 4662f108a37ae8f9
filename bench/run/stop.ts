/** A run that ends early at Ctrl-C, after it has cleaned up. */

export class Stopped extends Error {}

/** Is aborted, with `Stopped`, by the first signal to end. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  // Only the first signal counts: the terminal and npm both deliver a Ctrl-C.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Stopped('Stopped.')));
  }
  return controller.signal;
}
