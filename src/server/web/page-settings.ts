import { withTimeout } from '#base';
import type { Instance, Settings } from '../../instance/settings.ts';

/** Shorter than the time that a page has: what the page asks the API for takes as long. */
const timeoutMs = 1_000;

/** The settings for a page. It explains an outage of the database, and needs a language for that. */
export const findPageSettings = ({ instance }: { instance: Instance }): Promise<Settings> =>
  withTimeout(instance.settings(), timeoutMs).catch(() => instance.known);
