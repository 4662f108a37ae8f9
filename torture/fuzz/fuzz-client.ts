/**
 * A fuzz client: converts steps to requests, remembers the ids and secrets it received, and checks responses.
 */
import type { Contract } from '../../test/support/contract.ts';
import { webHeaders } from '../api.ts';
import type { ClientResponse } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { judgeBody, judgeQuery, type Operation, type Verdict, worse } from './oracle.ts';
import { findWrongResponse, judgeBySpec, specOf } from './spec-oracle.ts';
import type { Step } from './steps.ts';

type Kind = 'event' | 'item' | 'user' | 'session';
type Resource = { id: string; owner: Person };
export type CreatedIds = Record<Kind, Resource[]>;

export const noCreatedIds = (): CreatedIds => ({ event: [], item: [], user: [], session: [] });

/** Codes and tokens from responses; the API accepts them only for the same phone or person. */
type Secrets = {
  phone: string;
  email: string;
  code: string;
  /** The code that was mailed to `email`. */
  mailCode: string;
  refreshToken: string;
  confirmCode: string;
  codeOwner: Person | null;
  /** The secret in the URL of a personal calendar. */
  calendar: string;
};

export type FuzzClient = {
  environment: Environment;
  contract: Contract;
  people: Person[];
  own: CreatedIds;
  /** The ids that all clients created. */
  all: CreatedIds;
  secrets: Secrets;
};

type Request = {
  path: string;
  caller: Person | null;
  token: string | undefined;
  body: unknown;
};

const resourceKind = (path: string): Kind =>
  (/^\/v1\/(?:auth\/)?(event|item|user|session)s/.exec(path)?.[1] ?? 'event') as Kind;

function pick(pool: Resource[], n: number): Resource | undefined {
  return pool.at(-1 - (n % Math.max(1, Math.min(10, pool.length))));
}

function pickResource(client: FuzzClient, { operation, id }: Step): Resource | null {
  const kind = resourceKind(operation.path);
  const otherKind = { event: 'item', item: 'user', user: 'session', session: 'event' } as const;
  const pools = {
    own: client.own[kind],
    others: client.all[kind],
    'other kind': client.all[otherKind[kind]],
    junk: [],
  };
  return pick(pools[id.from], id.n) ?? null;
}

function toRequest(client: FuzzClient, step: Step): Request {
  const { operation, query, as, id } = step;
  const resource = pickResource(client, step);
  const text = resource?.id ?? encodeURIComponent(id.junk);
  const secret = (step.usesKnownSecrets && client.secrets.calendar) || encodeURIComponent(id.junk);
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
  const ifActive = (person: Person | undefined | null) =>
    person && client.people.includes(person) ? person : null;
  const anyPerson = client.people[id.n % client.people.length] ?? null;
  const callers = {
    anonymous: null,
    'bad token': null,
    stranger: client.people[0] ?? null,
    'any person': anyPerson,
    owner: ifActive(resource?.owner) ?? anyPerson,
  };
  let caller = callers[as];
  const name = `${operation.method} ${operation.path}`;
  if (name === 'DELETE /v1/me' && step.usesKnownSecrets && caller)
    caller = ifActive(client.secrets.codeOwner) ?? caller;
  const token = as === 'bad token' ? 'pa_bm90LWEtdG9rZW4' : caller?.token;
  return {
    path: operation.path.replace('{id}', text).replace('{secret}', secret) + search,
    caller,
    token,
    body: withKnownSecrets(client, name, step),
  };
}

/** Replaces generated codes and tokens with those from responses, because random ones are never valid, nor most countries. */
function withKnownSecrets({ secrets }: FuzzClient, name: string, { body, usesKnownSecrets }: Step): unknown {
  if (!usesKnownSecrets || typeof body !== 'object' || body === null) return body;
  const { phone, email, code, mailCode, refreshToken, confirmCode } = secrets;
  if (name === 'POST /v1/auth/otp/request') return { ...body, phone, country: 'US' };
  if (name === 'POST /v1/auth/otp/verify' && code) return { ...body, phone, country: 'US', code };
  if (name === 'POST /v1/auth/email/request') return { ...body, email };
  if (name === 'POST /v1/auth/email/verify' && mailCode) return { ...body, email, code: mailCode };
  if (name === 'POST /v1/auth/refresh' && refreshToken) return { ...body, refreshToken };
  return name === 'DELETE /v1/me' && confirmCode ? { ...body, confirmCode } : body;
}

const allowed400 = ['wrong_code', 'self_relation'];

/** @returns what is wrong with the response, or null */
function findFault(
  access: Operation['access'],
  verdict: Verdict,
  token: 'none' | 'valid' | 'invalid',
  response: ClientResponse,
): string | null {
  const { status, body } = response;
  if (status >= 500) return 'a 5xx';
  const isRefusedCaller =
    (access === 'required' && token !== 'valid') || (access === 'optional' && token === 'invalid');
  if (isRefusedCaller) return status === 401 ? null : 'an unauthenticated caller was accepted';
  if (status === 401 && body.code !== 'refresh_token_invalid') return 'an authenticated caller was refused';
  if (verdict === 'shape' && status !== 400) return 'an invalid request without a 400';
  if (verdict === 'sense' && status < 400) return 'an invalid request was accepted';
  if (verdict === 'fits' && status === 400 && !allowed400.includes(body.code))
    return 'a valid request with a 400';
  return null;
}

export type StepResult = { fault: string | null; line: string; status: number; verdict: Verdict };

const isRefused = (verdict: Verdict) => verdict === 'shape' || verdict === 'sense';

export async function play(client: FuzzClient, step: Step): Promise<StepResult> {
  const { operation, malformedBody } = step;
  const request = toRequest(client, step);
  const { path, token, caller } = request;
  const name = `${operation.method} ${operation.path}`;
  // As the server parses it: JSON drops undefined values and turns -0 into 0.
  const body = request.body === undefined ? undefined : JSON.parse(JSON.stringify(request.body));
  const documented = malformedBody
    ? 'shape'
    : worse(judgeQuery(operation, step.query), judgeBody(operation, body));
  const specified = malformedBody ? 'shape' : judgeBySpec(name, step.query, body);
  const response = await client.environment.client.send(operation.method, path, {
    ...(token !== undefined && { token }),
    ...(malformedBody === null ? body !== undefined && { body } : { raw: malformedBody }),
    // Without it, the sign-in of a browser refuses every request.
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const tokenKind = token === undefined ? 'none' : caller ? 'valid' : 'invalid';
  const { access } = specOf(name);
  let fault = findFault(operation.access, documented, tokenKind, response);
  const bySpec = findFault(access, specified, tokenKind, response);
  if (bySpec) fault ??= `${bySpec}, by the specification alone`;
  if ((documented === 'fits' && isRefused(specified)) || (specified === 'fits' && isRefused(documented)))
    fault ??= `the document says ${documented} where the specification says ${specified}`;
  if (response.status < 300) {
    const wrong = findWrongResponse(
      name,
      { hasToken: tokenKind === 'valid', query: step.query, body },
      response,
    );
    if (wrong) fault ??= `${wrong}: ${JSON.stringify(response.body).slice(0, 600)}`;
  }
  try {
    client.contract.check(operation.method, path, { ...response, headers: webHeaders(response.headers) });
  } catch (error) {
    fault ??= `violates the document: ${(error as Error).message.slice(0, 300)}`;
  }
  await remember(client, name, caller, body, response);
  const line = `${operation.method} ${path.slice(0, 700)} as ${step.as} ${malformedBody ?? JSON.stringify(body)?.slice(0, 400) ?? ''}`;
  return { fault, line, status: response.status, verdict: specified };
}

async function remember(
  client: FuzzClient,
  name: string,
  caller: Person | null,
  requestBody: unknown,
  { status, body }: ClientResponse,
): Promise<void> {
  if (status >= 300) return;
  const addId = (kind: Kind, id: string, owner: Person) => {
    for (const pools of [client.own, client.all]) pools[kind].push({ id, owner });
  };
  const { secrets } = client;
  const { phone, email } = (requestBody ?? {}) as { phone?: string; email?: string };
  if (name === 'POST /v1/events' && caller) addId('event', body.id, caller);
  if (name === 'POST /v1/events/{id}/items' && caller) addId('item', body.id, caller);
  if (name === 'GET /v1/auth/sessions' && caller)
    for (const { id } of body.data) addId('session', id, caller);
  if (name === 'POST /v1/auth/otp/request' && phone === secrets.phone) secrets.code = body.devCode;
  if (name === 'POST /v1/auth/email/request' && email === secrets.email) secrets.mailCode = body.devCode;
  if (name === 'POST /v1/me/delete-code')
    Object.assign(secrets, { confirmCode: body.devCode, codeOwner: caller });
  if (name === 'POST /v1/auth/otp/verify' || name === 'POST /v1/auth/email/verify') {
    const person = { id: body.user.id, token: body.accessToken };
    client.people.splice(1, 1, person);
    addId('user', person.id, person);
    secrets.refreshToken = body.refreshToken;
  }
  if (name === 'POST /v1/auth/refresh') secrets.refreshToken = body.refreshToken;
  if (name === 'POST /v1/me/calendar') secrets.calendar = body.url.split('/').at(-1).replace('.ics', '');
  const sessionEndingOperations = [
    'POST /v1/auth/logout',
    'POST /v1/auth/refresh',
    'DELETE /v1/me',
    'DELETE /v1/auth/sessions/{id}',
  ];
  if (sessionEndingOperations.includes(name)) await replaceSignedOut(client);
}

/** Replaces people whose session or account has ended with new ones. */
async function replaceSignedOut({ environment, people, own, all }: FuzzClient): Promise<void> {
  for (const [i, person] of people.entries()) {
    const { status } = await environment.client.send('GET', '/v1/auth/me', { token: person.token });
    if (status === 200) continue;
    const [replacement] = await assignReachablePhones(environment, await environment.people(1));
    if (!replacement) continue;
    people[i] = replacement;
    for (const pools of [own, all]) pools.user.push({ id: replacement.id, owner: replacement });
  }
}

let phoneCount = 0;

/** Gives people valid phones, to which a code can be sent. */
export async function assignReachablePhones({ sql }: Environment, people: Person[]): Promise<Person[]> {
  for (const { id } of people) {
    const phone = `+1415${5_560_000 + phoneCount++}`;
    await sql`update users set phone = ${phone} where id = ${id}`;
    await sql`update contacts set contact = ${phone} where user_id = ${id}`;
  }
  return people;
}
