/** Feature flags, asked through OpenFeature so that another provider can take the environment's place. */
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import type { Config } from './config.ts';

export type Flags = {
  /** Whether items can be claimed at all. */
  claims(): Promise<boolean>;
};

/** Each app has a domain of its own: two in one process do not switch each other's flags. */
export async function openFlags(config: Config, domain: string): Promise<Flags> {
  const onOff = { on: true, off: false };
  const claims = { variants: onOff, defaultVariant: config.claimsEnabled ? 'on' : 'off', disabled: false };
  await OpenFeature.setProviderAndWait(domain, new InMemoryProvider({ claims }));
  const client = OpenFeature.getClient(domain);
  return { claims: () => client.getBooleanValue('claims', true) };
}
