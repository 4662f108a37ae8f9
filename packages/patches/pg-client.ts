/** Internals of `pg`. */
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';

/**
 * The stream on which the client sends. The constructor of the client creates it, so that its errors can be watched before
 * the client connects; with TLS, `connect` replaces it by another stream on top of it.
 */
export const streamOf = (client: pg.Client): Duplex => client.connection.stream;

/** The TLS options as the driver has read them from the URL and its environment; `false` without TLS. */
export const tlsOf = (client: pg.Client): boolean | ConnectionOptions =>
  client.ssl as boolean | ConnectionOptions;

export type Address = { host: string; port: number };

/** Where the client connects to. A host that begins with `/` is the directory of a socket. */
export const addressOf = ({ host, port }: pg.Client): Address => ({ host, port });

/** Makes a client that has not connected yet connect to another host. */
export const redirect = (client: pg.Client, address: Address): void => void Object.assign(client, address);

/**
 * Calls `listener` with each setting that PostgreSQL reports of itself, such as `in_hot_standby`, which it does while the
 * client connects.
 * @returns a function that ends this
 */
export function watchSettings(
  client: pg.Client,
  listener: (name: string, value: string) => void,
): () => void {
  const { connection } = client;
  const record = ({ parameterName, parameterValue }: Record<string, string>) =>
    listener(`${parameterName}`, `${parameterValue}`);
  connection.on('parameterStatus', record);
  return () => connection.off('parameterStatus', record);
}

/** `pg.Pool` connects a client of another class with a callback, and takes null for success. */
export type PoolCallback = (error: Error | null) => void;
