import type { Config } from '../config/config.ts';
import type { MessageContact } from '../lib/contact.ts';

/** What checks get. */
export type Context = {
  /** With the default of each variable that `faults` names. */
  config: Config;
  /** Why a start would refuse the configuration. */
  faults: string[];
  env: NodeJS.ProcessEnv;
  /** The recipient of the test message. */
  sendTo: MessageContact | undefined;
  /** Aborts at a stop signal. */
  stop: AbortSignal;
};
