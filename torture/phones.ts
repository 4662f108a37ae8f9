/** People whom a code can reach: numbers of a length that exists, sign-in and farewell by code. */
import type { Environment, Person } from './environment.ts';

/** The n-th of ten million numbers. */
export const phoneOf = (n: number, area = '+1202'): string => `${area}${String(n).padStart(7, '0')}`;

/** Numbers from the n-th on, past the servers, in place of what `people` made up. */
export async function givePhones({ sql }: Environment, people: Person[], from = 0): Promise<void> {
  const ids = people.map(({ id }) => id);
  const phones = people.map((_, i) => phoneOf(from + i));
  await sql.begin(async (tx) => {
    await tx`
      update users u set phone = g.phone from unnest(${ids}::uuid[], ${phones}::text[]) g (id, phone)
      where u.id = g.id`;
    await tx`
      update phones p set phone = g.phone from unnest(${ids}::uuid[], ${phones}::text[]) g (id, phone)
      where p.user_id = g.id`;
  });
}

/** A six-digit code that is not this one; `n` makes different ones. */
export const notThe = (code: string, n = 0): string =>
  String((Number(code) + 1 + n) % 1_000_000).padStart(6, '0');

/** @returns the code, which servers that send nothing tell */
export async function askForCode({ client }: Environment, phone: string): Promise<string> {
  const { status, body } = await client.ask('POST', '/v1/auth/otp/request', { body: { phone } });
  if (status !== 202) throw new Error(`no code: ${JSON.stringify(body)}`);
  return body.devCode;
}

export type SignedIn = Person & { refreshToken: string };

export async function signIn(environment: Environment, phone: string): Promise<SignedIn> {
  const code = await askForCode(environment, phone);
  const { status, body } = await environment.client.ask('POST', '/v1/auth/otp/verify', {
    body: { phone, code },
  });
  if (status !== 200) throw new Error(`no sign-in: ${JSON.stringify(body)}`);
  return { id: body.user.id, token: body.accessToken, refreshToken: body.refreshToken };
}

/** @returns the code that deletes the account */
export async function askForFarewell({ client }: Environment, { token }: Person): Promise<string> {
  const { status, body } = await client.ask('POST', '/v1/me/delete-code', { token });
  if (status !== 202) throw new Error(`no code: ${JSON.stringify(body)}`);
  return body.devCode;
}
