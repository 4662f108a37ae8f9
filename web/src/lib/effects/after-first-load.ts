/** Parts that come after what a visitor reads first leave the network to it for so long. */
const pauseMs = 1_000;

/** @returns a function that gives the work up */
export function afterFirstLoad(work: () => void): () => void {
  const timer = setTimeout(work, pauseMs);
  return () => clearTimeout(timer);
}
