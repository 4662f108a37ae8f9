/** The browser of the tests and screenshots. */
import { existsSync } from 'node:fs';

/** Debian's packages. The first one has no window, and needs half of the other's CPU time. */
const debian = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The browser that `CHROMIUM` names, or one of Debian's, or null if none is installed. */
export function findChromium(): string | null {
  const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM] : debian;
  return candidates.find((file) => existsSync(file)) ?? null;
}
