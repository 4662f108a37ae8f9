/** One client of many: what it made and who it is, the request that a step becomes, and what is wrong with the answer. */
import type { Contract } from '../../test/contract.ts';
import { webHeaders } from '../api.ts';
import type { ClientResponse } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { judgeBody, judgeQuery, type Operation, type Verdict, worse } from './oracle.ts';
import type { Step } from './steps.ts';

type Kind = 'event' | 'item' | 'user' | 'session';
type Made = { id: string; owner: Person };
export type CreatedIds = Record<Kind, Made[]>;

export const noCreatedIds = (): CreatedIds => ({ event: [], item: [], user: [], session: [] });

/** What the API itself gave out, and what only fits where it came from. */
type Secrets = {
  phone: string;
  code: string;
  refreshToken: string;
  confirmCode: string;
  confirmer: Person | null;
  /** The secret in the address of somebody's calendar. */
  calendar: string;
};

export type FuzzClient = {
  environment: Environment;
  contract: Contract;
  people: Person[];
  own: CreatedIds;
  /** What all lanes made. */
  all: CreatedIds;
  secrets: Secrets;
};

type Request = {
  path: string;
  caller: Person | null;
  token: string | undefined;
  body: unknown;
};

const kindOf = (path: string): Kind =>
  (/^\/v1\/(?:auth\/)?(event|item|user|session)s/.exec(path)?.[1] ?? 'event') as Kind;

function pick(pool: Made[], n: number): Made | undefined {
  return pool.at(-1 - (n % Math.max(1, Math.min(10, pool.length))));
}

function target(lane: FuzzClient, { operation, id }: Step): Made | null {
  const kind = kindOf(operation.path);
  const elsewhere = { event: 'item', item: 'user', user: 'session', session: 'event' } as const;
  const pools = {
    own: lane.own[kind],
    others: lane.all[kind],
    elsewhere: lane.all[elsewhere[kind]],
    junk: [],
  };
  return pick(pools[id.from], id.n) ?? null;
}

function toRequest(lane: FuzzClient, step: Step): Request {
  const { operation, query, as, id } = step;
  const made = target(lane, step);
  const text = made?.id ?? encodeURIComponent(id.junk);
  const secret = (step.fill && lane.secrets.calendar) || encodeURIComponent(id.junk);
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
  const alive = (person: Person | undefined | null) =>
    person && lane.people.includes(person) ? person : null;
  const somebody = lane.people[id.n % lane.people.length] ?? null;
  const callers = {
    nobody: null,
    'bad token': null,
    stranger: lane.people[0] ?? null,
    somebody,
    owner: alive(made?.owner) ?? somebody,
  };
  let caller = callers[as];
  const name = `${operation.method} ${operation.path}`;
  if (name === 'DELETE /v1/me' && step.fill && caller) caller = alive(lane.secrets.confirmer) ?? caller;
  const token = as === 'bad token' ? 'pa_bm90LWEtdG9rZW4' : caller?.token;
  return {
    path: operation.path.replace('{id}', text).replace('{secret}', secret) + search,
    caller,
    token,
    body: filled(lane, name, step),
  };
}

/** Codes and tokens cannot be guessed, so those that the API gave are put in. */
function filled({ secrets }: FuzzClient, name: string, { body, fill }: Step): unknown {
  if (!fill || typeof body !== 'object' || body === null) return body;
  const { phone, code, refreshToken, confirmCode } = secrets;
  if (name === 'POST /v1/auth/otp/request') return { ...body, phone };
  if (name === 'POST /v1/auth/otp/verify' && code) return { ...body, phone, code };
  if (name === 'POST /v1/auth/refresh' && refreshToken) return { ...body, refreshToken };
  return name === 'DELETE /v1/me' && confirmCode ? { ...body, confirmCode } : body;
}

const allowed400 = ['wrong_code', 'self_relation'];

/** What is wrong with an answer, or null. */
function faultOf(
  operation: Operation,
  verdict: Verdict,
  hasToken: 'none' | 'good' | 'bad',
  answer: ClientResponse,
): string | null {
  const { status, body } = answer;
  if (status >= 500) return 'a 5xx';
  const isRefusedCaller =
    (operation.access === 'required' && hasToken !== 'good') ||
    (operation.access === 'optional' && hasToken === 'bad');
  if (isRefusedCaller) return status === 401 ? null : 'a caller let in';
  if (status === 401 && body.code !== 'refresh_token_invalid') return 'a caller kept out';
  if (verdict === 'shape' && status !== 400) return 'invalid, and not a 400';
  if (verdict === 'sense' && status < 400) return 'invalid, and accepted';
  if (verdict === 'fits' && status === 400 && !allowed400.includes(body.code)) return 'valid, and a 400';
  return null;
}

export type Told = { fault: string | null; line: string; status: number; verdict: Verdict };

export async function play(lane: FuzzClient, step: Step): Promise<Told> {
  const { operation, noise } = step;
  const request = toRequest(lane, step);
  const { path, token, caller } = request;
  // As it arrives: what JSON cannot say is gone, and -0 is 0.
  const body = request.body === undefined ? undefined : JSON.parse(JSON.stringify(request.body));
  const judged = worse(judgeQuery(operation, step.query), judgeBody(operation, body));
  const verdict = noise === null ? judged : 'shape';
  const answer = await lane.environment.client.ask(operation.method, path, {
    ...(token !== undefined && { token }),
    ...(noise === null ? body !== undefined && { body } : { raw: noise }),
  });
  let fault = faultOf(operation, verdict, token === undefined ? 'none' : caller ? 'good' : 'bad', answer);
  try {
    lane.contract.check(operation.method, path, { ...answer, headers: webHeaders(answer.headers) });
  } catch (error) {
    fault ??= `off the document: ${(error as Error).message.slice(0, 300)}`;
  }
  await learn(lane, `${operation.method} ${operation.path}`, caller, body, answer);
  const line = `${operation.method} ${path.slice(0, 700)} as ${step.as} ${noise ?? JSON.stringify(body)?.slice(0, 400) ?? ''}`;
  return { fault, line, status: answer.status, verdict };
}

async function learn(
  lane: FuzzClient,
  name: string,
  caller: Person | null,
  sent: unknown,
  { status, body }: ClientResponse,
): Promise<void> {
  if (status >= 300) return;
  const keep = (kind: Kind, id: string, owner: Person) => {
    for (const pools of [lane.own, lane.all]) pools[kind].push({ id, owner });
  };
  const { secrets } = lane;
  const { phone } = (sent ?? {}) as { phone?: string };
  if (name === 'POST /v1/events' && caller) keep('event', body.id, caller);
  if (name === 'POST /v1/events/{id}/items' && caller) keep('item', body.id, caller);
  if (name === 'GET /v1/auth/sessions' && caller) for (const { id } of body.data) keep('session', id, caller);
  if (name === 'POST /v1/auth/otp/request' && phone === secrets.phone) secrets.code = body.devCode;
  if (name === 'POST /v1/me/delete-code')
    Object.assign(secrets, { confirmCode: body.devCode, confirmer: caller });
  if (name === 'POST /v1/auth/otp/verify') {
    const person = { id: body.user.id, token: body.accessToken };
    lane.people.splice(1, 1, person);
    keep('user', person.id, person);
    secrets.refreshToken = body.refreshToken;
  }
  if (name === 'POST /v1/auth/refresh') secrets.refreshToken = body.refreshToken;
  if (name === 'POST /v1/me/calendar') secrets.calendar = body.url.split('/').at(-1).replace('.ics', '');
  const ends = [
    'POST /v1/auth/logout',
    'POST /v1/auth/refresh',
    'DELETE /v1/me',
    'DELETE /v1/auth/sessions/{id}',
  ];
  if (ends.includes(name)) await revive(lane);
}

/** Whoever was signed out or is gone makes room for somebody new. */
async function revive({ environment, people, own, all }: FuzzClient): Promise<void> {
  for (const [i, person] of people.entries()) {
    const { status } = await environment.client.ask('GET', '/v1/auth/me', { token: person.token });
    if (status === 200) continue;
    const [next] = await reachable(environment, await environment.people(1));
    if (!next) continue;
    people[i] = next;
    for (const pools of [own, all]) pools.user.push({ id: next.id, owner: next });
  }
}

let numbers = 0;

/** With phones to which a code can be sent. */
export async function reachable({ sql }: Environment, people: Person[]): Promise<Person[]> {
  for (const { id } of people) {
    const phone = `+1415${5_560_000 + numbers++}`;
    await sql`update users set phone = ${phone} where id = ${id}`;
    await sql`update phones set phone = ${phone} where user_id = ${id}`;
  }
  return people;
}
