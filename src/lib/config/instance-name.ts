import type { Reader } from './reader.ts';

/** The name by which messages call this server. */
export function readInstanceName(read: Reader): string {
  const name = read.text('INSTANCE_NAME') ?? 'Potluck';
  if (name.length > 40 || /["<>@\p{Cc}]/u.test(name))
    read.faults.push('INSTANCE_NAME must have at most 40 characters, and none of " < > @.');
  return name;
}
