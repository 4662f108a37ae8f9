import type { Reader } from './reader.ts';

export const defaultInstanceName = 'Potluck';

/** The maximum length, in characters: a text message has to name the instance. */
export const maxInstanceName = 40;

/** Names of senders of mails cannot have the other characters. */
export const isInstanceName = (name: string): boolean =>
  [...name].length <= maxInstanceName && !/["<>@\p{Cc}]/u.test(name);

/** The name by which messages call this server. */
export function readInstanceName(read: Reader): string | undefined {
  const name = read.text('INSTANCE_NAME');
  if (name !== undefined && !isInstanceName(name))
    read.faults.push('INSTANCE_NAME must have at most 40 characters, and none of " < > @.');
  return name;
}
