/** The address on which the server listens. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../../config/config.ts';
import { CommandError } from '../command/command-error.ts';

/**
 * Replaces PORT=0 by a free port: the first response may contain URLs, so the port must be known before. Where several
 * processes listen, this one finds that the address cannot be used, before it starts them.
 * @throws CommandError if the address cannot be used
 */
export async function withAddress(config: Config): Promise<Config> {
  if (config.port !== 0 && config.servers === 1) return config;
  await using probe = createServer().listen(config.port, config.host);
  await once(probe, 'listening').catch((error) => {
    throw toAddressError(error, config);
  });
  const { port } = probe.address() as AddressInfo;
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) };
}

/** Turns errors of `listen` into a CommandError, and returns all other errors unchanged. */
export function toAddressError(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new CommandError(`Port ${port} is in use. Set PORT to a free port.`);
  if (error.code === 'EACCES')
    return new CommandError(`Port ${port} may not be used by this user. Set PORT to a port above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    return new CommandError(`HOST is "${host}", which is not an address of this machine.`);
  }
  return error;
}
