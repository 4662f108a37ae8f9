/** `demo`: adds people and events in one city over the coming weeks. */
import type { Config } from '../config/config.ts';
import { demoPhones } from '../lib/demo-phones.ts';
import { runCommand } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { writeDemo } from './demo/write-demo.ts';

/** @throws CommandError if the configuration forbids demo accounts */
export async function demoCommand(config: Config): Promise<void> {
  if (!config.demoAllowed) {
    throw new CommandError(
      'The demo accounts have known phone numbers: they are never added in production, and elsewhere only if HOST ' +
        'and PUBLIC_URL are loopback addresses and TRUST_PROXY is off, or with DEV_CODES=on.',
    );
  }
  await runCommand(config, async ({ db }) => {
    const added = await writeDemo(db);
    if (!added) return console.log('The demo people are already here; nothing was added.');
    const { people, events, items, rsvps, claims } = added;
    console.log(
      `Added ${people} people and ${events} events in Gothenburg, with ${items} items, ${rsvps} RSVPs and ${claims} claims.`,
    );
    for (const { who, phone } of demoPhones) console.log(`  ${who.padEnd(10)} ${phone}`);
  });
}
