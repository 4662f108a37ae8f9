/** Resolves names for connections to addresses that users choose. */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Resolves names to their allowed addresses. The connection uses these addresses, so a name cannot point to
 * another address between the check and the connection.
 */
export const lookupAllowed =
  (isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) return callback(noPublicAddress(hostname), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };

export const noPublicAddress = (hostname: string): Error => new Error(`${hostname} has no public address`);
