import assert from 'node:assert/strict';
import { ConfigError, readConfig } from '../../src/config/config.ts';

/** The faults that a server names at its start, one in each line; none if it starts with these variables. */
export function configFaults(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split('\n');
  }
}
