/** Addresses that the server may connect to on behalf of a user. */
import { BlockList, isIP } from 'node:net';

/**
 * Networks that are not part of the public internet, by the registries of IANA for special-purpose addresses:
 * this machine, private networks, the services of cloud providers, multicast, documentation, and IPv6 networks
 * that contain IPv4 addresses.
 */
const special: [net: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];
/** The only IPv6 network that is in public use. */
const globalUnicast: [net: string, prefix: number] = ['2000::', 3];

const refused = new BlockList();
for (const [net, prefix] of special) refused.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
const globalIpv6 = new BlockList();
globalIpv6.addSubnet(...globalUnicast, 'ipv6');

/** Whether an IP address belongs to a machine on the public internet. False for texts that are no IP address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4');
    case 6:
      return globalIpv6.check(address, 'ipv6') && !refused.check(address, 'ipv6');
    default:
      return false;
  }
}
