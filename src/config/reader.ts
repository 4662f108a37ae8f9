/** Reads single environment variables, and collects the faults. */
import { splitHosts } from '#base';

export type Reader = ReturnType<typeof readerOf>;

/** Reads single variables and collects the faults. An empty variable counts as not set. */
export function readerOf(env: NodeJS.ProcessEnv) {
  const faults: string[] = [];
  /** The variables that were read, set or not. */
  const names = new Set<string>();
  const text = (name: string) => {
    names.add(name);
    return env[name]?.trim() || undefined;
  };

  function oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = text(name);
    if (value === undefined) return fallback;
    const found = allowed.find((option) => option === value);
    if (!found) faults.push(`${name} is "${value}"; it must be one of ${allowed.join(', ')}.`);
    return found ?? fallback;
  }

  function whole(name: string, fallback: number, min: number, max: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    if (isWhole(value, min, max)) return Number(value);
    faults.push(`${name} is "${value}"; it must be a whole number from ${min} to ${max}.`);
    return fallback;
  }

  function parseUrl(name: string, given: string, protocols: string[]): string | undefined {
    // A database URL without a host, for a socket: postgres://user:password@/name?host=/directory
    const value = given.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)\//, '$1localhost/');
    if (splitHosts(value).every((each) => isUrl(each, protocols))) return value.replace(/(?<!\/)\/+$/, '');
    // The message does not contain the value, because a database URL may contain a password.
    faults.push(
      `${name} is not an address that starts with ${protocols.join('// or ')}//, with a port of at most 65535; ` +
        'characters such as @, # and % in a password must be percent-encoded.',
    );
    return undefined;
  }

  function url(name: string, protocols: string[]): string | undefined {
    const value = text(name);
    return value === undefined ? undefined : parseUrl(name, value, protocols);
  }

  /** A list of addresses with commas between them. */
  function urls(name: string, protocols: string[]): string[] {
    const values = (text(name) ?? '').split(',').map((value) => value.trim());
    return values.flatMap((value, i) => parseUrl(`Address ${i + 1} of ${name}`, value, protocols) ?? []);
  }

  function needed(name: string, why: string): string {
    const value = text(name);
    if (value === undefined) faults.push(`${name} is not set; ${why}.`);
    return value ?? '';
  }

  const onOff = (name: string, fallback: boolean) =>
    oneOf(name, ['on', 'off'], fallback ? 'on' : 'off') === 'on';
  return { faults, names, text, oneOf, onOff, whole, url, urls, needed };
}

export function isWhole(text: string, min: number, max: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
}

export function isUrl(value: string, protocols: string[]): boolean {
  try {
    const { protocol, username, password } = new URL(value);
    return protocols.includes(protocol) && decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}
