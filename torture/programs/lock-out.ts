import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientResponse } from '../client.ts';
import type { Environment } from '../environment.ts';
import { phoneOf } from '../phones.ts';
import type { Program } from '../program.ts';
import { openTwilioStub, type TwilioStub } from '../twilio-stub.ts';

const networks = 20;
/** Five tries in each quarter of an hour use up the 25 tries that a number has for all. */
const minutesAlone = 75;
const [maxTexts, maxGuesses, maxWaitMinutes] = [15, 100, 15];

export const lockOut: Program = {
  name: 'lock-out',
  expectation:
    'strangers in 20 networks try wrong codes and request codes for a number until they are refused: its owner signs in at once ' +
    'on a known device and in a known network, and deletes the account; on an unknown device in an unknown network, the owner ' +
    'signs in within 15 minutes; at most 100 wrong codes are compared, and 15 texts sent, for a number',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [count, minutesOfTries] = [size(40, 2), size(120, 15)];
    const twilio = await openTwilioStub();
    try {
      const env = { ...twilio.env, RATE_LIMIT: '0', SMS_PER_DAY: '1000000' };
      const environment = await startEnvironment({ env });
      const results: Result[] = [];
      for (let i = 0; i < count; i++) {
        progress(`${i} of ${count} numbers`);
        await avoidMidnight();
        // Each number is in a block of its own.
        const siege = new Siege(environment, twilio, phoneOf(i * 10_000, i % 2 ? '+4670' : '+1202'), i);
        results.push(await siege.run(i % 2 === 0, minutesOfTries));
      }
      const refused = results.flatMap((each) => each.refused);
      const most = (of: (result: Result) => number) => Math.max(...results.map(of));
      const [texts, guesses, wait] = [most((r) => r.texts), most((r) => r.guesses), most((r) => r.waited)];
      return {
        result:
          `${count} numbers: ${refused.length} of ${results.length * 4} sign-ins and deletions of a known owner refused` +
          `${refused.length > 0 ? ` (${[...new Set(refused)].join(', ')})` : ''}; elsewhere at most ${wait} minutes until a ` +
          `sign-in; at most ${guesses} codes compared and ${texts} texts sent to a number`,
        ok: refused.length === 0 && wait <= maxWaitMinutes && guesses <= maxGuesses && texts <= maxTexts,
      };
    } finally {
      twilio.close();
    }
  },
};

/** `refused`: what a known owner could not do. `waited`: minutes, on an unknown device in an unknown network. */
type Result = { refused: string[]; waited: number; guesses: number; texts: number };

/** A day (UTC) has its own counts of texts. */
async function avoidMidnight(): Promise<void> {
  const leftMs = 86_400_000 - (Date.now() % 86_400_000);
  if (leftMs < 60_000) await sleep(leftMs);
}

/** Attacks one number. Time passes by SQL. */
class Siege {
  readonly #environment: Environment;
  readonly #twilio: TwilioStub;
  readonly #phone: string;
  readonly #home: string;
  readonly #elsewhere: string[];
  readonly #strangers: string[];
  #guesses = 0;

  constructor(environment: Environment, twilio: TwilioStub, phone: string, n: number) {
    this.#environment = environment;
    this.#twilio = twilio;
    this.#phone = phone;
    this.#home = `203.0.${n}.1`;
    // Other strangers for each number, because a network has a limit of its own for the texts to all numbers.
    this.#strangers = Array.from({ length: networks }, (_, i) => `198.51.${n}.${i + 1}`);
    this.#elsewhere = [2, 3, 4].map((last) => `203.0.${n}.${last}`);
  }

  /** @param isNewUser the owner of the number has no account before the attack */
  async run(isNewUser: boolean, minutesOfTries: number): Promise<Result> {
    const [elsewhere = '', mobile = '', office = ''] = this.#elsewhere;
    const before = isNewUser ? null : await this.#signIn(this.#home);
    await this.#attack(minutesOfTries);
    // Codes of the first nine texts have expired.
    await this.#pass(60);
    const waited = await this.#signInWithPatience(elsewhere);
    // A new user is known from now on; the attack goes on.
    const known = before ?? (await this.#signIn(elsewhere));
    const knownNetwork = before ? this.#home : elsewhere;
    await this.#pass(1);
    const refused: string[] = [];
    const attempt = async (name: string, work: () => Promise<SignedIn | null>) => {
      // The strangers go on at the same time.
      const [done] = await Promise.all([work(), this.#requestAll(), this.#tryAll()]);
      if (!done) refused.push(name);
      await this.#pass(1);
      return done;
    };
    if (!known) refused.push('the sign-in of a new user');
    await attempt('a known network', () => this.#signIn(knownNetwork));
    await attempt('a known device', () => this.#signIn(mobile, known?.deviceToken));
    const last = await attempt('a known device again', () => this.#signIn(office, known?.deviceToken));
    if (last && !(await this.#deleteAccount(last))) refused.push('the deletion');
    return { refused, waited, guesses: this.#guesses, texts: this.#texts().length };
  }

  /**
   * One stranger uses up the tries that are for all, which leaves the most to the others. Then all try codes for the given
   * time, and request texts until none is sent.
   */
  async #attack(minutesOfTries: number): Promise<void> {
    const [first = ''] = this.#strangers;
    for (let minutes = 0; minutes < minutesAlone + minutesOfTries; minutes += 15) {
      await this.#send(first, 'request', {});
      const from = minutes < minutesAlone ? [first] : this.#strangers;
      for (let i = 0; i < 6; i++) await this.#tryAll(from);
      await this.#pass(15);
    }
    for (let quiet = 0; quiet < 2; ) {
      const sent = this.#texts().length;
      await this.#requestAll();
      quiet = this.#texts().length === sent ? quiet + 1 : 0;
      await this.#pass(1);
    }
    for (let i = 0; i < 6; i++) await this.#tryAll();
  }

  /** Each stranger tries a wrong code. */
  async #tryAll(strangers = this.#strangers): Promise<void> {
    const codes = this.#texts();
    const wrong = ['000000', '111111', '222222', '333333'].find((code) => !codes.includes(code)) ?? '444444';
    const responses = await Promise.all(strangers.map((from) => this.#send(from, 'verify', { code: wrong })));
    // Any other response than a refusal counts as a comparison.
    this.#guesses += responses.filter(({ body }) => body.code !== 'too_many_tries').length;
  }

  /** Each stranger requests a code. */
  #requestAll = (): Promise<unknown> =>
    Promise.all(this.#strangers.map((from) => this.#send(from, 'request', {})));

  /** Signs in with a text of this request. @returns null if the server refuses */
  async #signIn(from: string, deviceToken?: string): Promise<SignedIn | null> {
    const device = deviceToken === undefined ? {} : { deviceToken };
    const before = this.#texts().length;
    if ((await this.#send(from, 'request', device)).status !== 202) return null;
    // Texts that strangers request at the same time arrive with it; each is tried, as a person would.
    for (const code of this.#texts().slice(before)) {
      const { status, body } = await this.#send(from, 'verify', { code, ...device });
      if (status === 200) return { token: body.accessToken, deviceToken: body.deviceToken };
    }
    return null;
  }

  /** Signs in with a new text or, if none is sent, with the newest one. @returns the minutes until then */
  async #signInWithPatience(from: string): Promise<number> {
    for (let minutes = 0; minutes <= 2 * maxWaitMinutes; minutes++) {
      await this.#send(from, 'request', {});
      const { status } = await this.#send(from, 'verify', { code: this.#texts().at(-1) ?? '' });
      if (status === 200) return minutes;
      await this.#pass(1);
      await this.#requestAll();
    }
    return Number.POSITIVE_INFINITY;
  }

  async #deleteAccount({ token }: SignedIn): Promise<boolean> {
    const { client } = this.#environment;
    const [sent] = await Promise.all([
      client.send('POST', '/v1/me/delete-code', { token }),
      this.#requestAll(),
      this.#tryAll(),
    ]);
    if (sent.status !== 202) return false;
    for (const confirmCode of this.#texts().slice(-2)) {
      const { status } = await client.send('DELETE', '/v1/me', { token, body: { confirmCode } });
      if (status === 200) return true;
    }
    return false;
  }

  #texts = (): string[] => this.#twilio.sent.filter(({ to }) => to === this.#phone).map(({ code }) => code);

  #send = (from: string, what: 'request' | 'verify', body: object): Promise<ClientResponse> =>
    this.#environment.client.send('POST', `/v1/auth/otp/${what}`, {
      body: { phone: this.#phone, ...body },
      headers: { 'x-forwarded-for': from },
    });

  /** Lets minutes pass for all codes and tries. A code that is valid until the day ends stays so. */
  async #pass(minutes: number): Promise<void> {
    const { sql } = this.#environment;
    await sql`
      update codes set sent_at = sent_at - ${minutes} * interval '1 minute',
        expires_at = case when expires_at > sent_at + interval '5 minutes' then expires_at
          else expires_at - ${minutes} * interval '1 minute' end`;
    await sql`update code_tries set at = at - ${minutes} * interval '1 minute'`;
  }
}

type SignedIn = { token: string; deviceToken: string };
