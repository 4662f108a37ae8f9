/** Valid phone numbers, and sign-in and account deletion by code. */
import type { Environment, Person } from './environment.ts';

/** The n-th of ten million phone numbers of an area. */
export const phoneOf = (n: number, area = '+1202'): string => `${area}${String(n).padStart(7, '0')}`;

/** Replaces the invalid numbers of `environment.people` with valid ones, from the n-th on, by SQL. */
export async function assignPhones({ sql }: Environment, people: Person[], from = 0): Promise<void> {
  const ids = people.map(({ id }) => id);
  const phones = people.map((_, i) => phoneOf(from + i));
  await sql.begin(async (tx) => {
    await tx`
      update users u set phone = g.phone from unnest(${ids}::uuid[], ${phones}::text[]) g (id, phone)
      where u.id = g.id`;
    await tx`
      update contacts p set contact = g.phone from unnest(${ids}::uuid[], ${phones}::text[]) g (id, phone)
      where p.user_id = g.id`;
  });
}

/** A six-digit code that differs from the given one; each `n` gives another. */
export const wrongCode = (code: string, n = 0): string =>
  String((Number(code) + 1 + n) % 1_000_000).padStart(6, '0');

/** @returns the sign-in code, which the response contains when the server sends no SMS */
export async function requestCode({ client }: Environment, phone: string): Promise<string> {
  const { status, body } = await client.send('POST', '/v1/auth/otp/request', { body: { phone } });
  if (status !== 202) throw new Error(`no code was sent: ${JSON.stringify(body)}`);
  return body.devCode;
}

export type SignedIn = Person & { refreshToken: string };

export async function signIn(environment: Environment, phone: string): Promise<SignedIn> {
  const code = await requestCode(environment, phone);
  const { status, body } = await environment.client.send('POST', '/v1/auth/otp/verify', {
    body: { phone, code },
  });
  if (status !== 200) throw new Error(`the sign-in failed: ${JSON.stringify(body)}`);
  return { id: body.user.id, token: body.accessToken, refreshToken: body.refreshToken };
}

/** @returns the code that deletes the account */
export async function requestDeleteCode({ client }: Environment, { token }: Person): Promise<string> {
  const { status, body } = await client.send('POST', '/v1/me/delete-code', { token });
  if (status !== 202) throw new Error(`no code was sent: ${JSON.stringify(body)}`);
  return body.devCode;
}
