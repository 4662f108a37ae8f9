/** Something to look at: people, events and all that is between them, in one city over the coming weeks. */

import type { Config } from '../lib/config.ts';
import { demoPhones } from '../lib/demo-phones.ts';
import { type DemoCounts, writeDemo } from './demo/write-demo.ts';
import { type CommandContext, CommandError, runCommand } from './world.ts';

export async function demoCommand(config: Config): Promise<void> {
  if (!config.demoAllowed) {
    throw new CommandError(
      'The demo accounts have known phone numbers: they are never added in production, and elsewhere only if HOST ' +
        'and PUBLIC_URL are loopback addresses and TRUST_PROXY is off, or with DEV_CODES=on.',
    );
  }
  await runCommand(config, async (world) => {
    const added = await seedDemo(world);
    if (!added) return console.log('The demo people are already here; nothing was added.');
    const { people, events, items, rsvps, claims } = added;
    console.log(
      `Added ${people} people and ${events} events in Gothenburg, with ${items} items, ${rsvps} RSVPs and ${claims} claims.`,
    );
    for (const { who, phone } of demoPhones) console.log(`  ${who.padEnd(10)} ${phone}`);
  });
}

/** @returns null when the database has the demo people already; then nothing was changed */
export function seedDemo({ db }: Pick<CommandContext, 'db'>): Promise<DemoCounts | null> {
  return writeDemo(db, new Date());
}
