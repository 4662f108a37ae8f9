import { isOutage } from '#pg';
import { openSetup } from '../../instance/setup-token.ts';
import { hasAdmin } from '../../modules/accounts/admins.ts';
import type { CommandContext } from '../command/command-context.ts';

/**
 * The address of the page that makes the first admin, for the log: who can read it has the server. It is the same at each start
 * on every server of the database.
 * @returns null if there is an admin, or if the database cannot be used: requests report that
 */
export async function findSetupAddress({ db, config }: CommandContext): Promise<string | null> {
  try {
    // The demo has an admin whose code is in the response.
    if (config.demo || (await hasAdmin(db))) return null;
    return `${config.publicUrl}/setup?token=${await openSetup(db, config.secretKey)}`;
  } catch (error) {
    if (isOutage(error)) return null;
    throw error;
  }
}
