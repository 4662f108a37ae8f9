/** How long an hour is: one second at the address of tests. */
import { hourMs } from '#base';

export const hourOf = (url: URL, testOrigin: string | undefined): number =>
  url.origin === testOrigin ? 1_000 : hourMs;
