/** Addresses that the server may connect to on behalf of a user. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The only IPv6 network that is in public use. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to a machine on the public internet: none of the registries of IANA for special-purpose
 * addresses has it, which ipaddr.js knows. False for texts that are no IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalUnicast);
}
