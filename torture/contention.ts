/**
 * People who want the same few plates and seats, on all servers at once, a guest who answers on two servers at once, and an
 * organizer whose change on one server all others show.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientResponse } from './client.ts';
import type { Environment, Person } from './environment.ts';
import { createEvent, createItem } from './factories.ts';

export type Contention = {
  /** The number of responses by status; 0 stands for a broken connection. */
  statuses: Map<number, number>;
  /** The responses that no order of the requests explains. */
  wrong: string[];
  stop(): Promise<void>;
};

const plates = 5;
const seats = 7;

type Place = { dinner: string; item: string; concert: string };

/** @param people the first of them organizes the events, and is no guest */
export async function startContention(
  environment: Environment,
  [organizer, guest, ...people]: Person[],
): Promise<Contention> {
  if (!organizer || !guest) throw new Error('no people were created');
  const dinner = await createEvent(environment, organizer);
  const place: Place = {
    dinner,
    item: await createItem(environment, organizer, dinner, plates),
    concert: await createEvent(environment, organizer, { capacity: seats }),
  };
  const run = new Run(environment, place);
  const repeat = async (work: () => Promise<void>) => {
    while (!run.isOver) {
      await work();
      await sleep(20);
    }
  };
  const done = Promise.all([
    repeat(() => run.answerTwice(guest)),
    repeat(() => run.read(organizer)),
    repeat(() => run.rename(organizer)),
    ...people.map(async (person) => {
      await run.send(person, 'POST', `/v1/events/${dinner}/rsvp`, { status: 'going' });
      await repeat(() => run.claimAndReturn(person));
    }),
    ...people.map((person) => repeat(() => run.bookAndCancel(person))),
  ]);
  return {
    statuses: run.statuses,
    wrong: run.wrong,
    async stop() {
      run.isOver = true;
      await done;
    },
  };
}

class Run {
  isOver = false;
  readonly statuses = new Map<number, number>();
  readonly wrong: string[] = [];
  #titles = 0;
  readonly #environment: Environment;
  readonly #place: Place;

  constructor(environment: Environment, place: Place) {
    this.#environment = environment;
    this.#place = place;
  }

  /** @param at a server; default: the servers in rotation */
  async send(person: Person, method: string, path: string, body?: unknown, at?: { url: string }) {
    const call = { token: person.token, body, ...(at && { server: at }) };
    const response = await this.#environment.client.send(method, path, call).catch(() => null);
    const status = response?.status ?? 0;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return response;
  }

  #expect(what: string, response: ClientResponse | null, isRight: (body: ClientResponse['body']) => boolean) {
    if (response && response.status < 300 && isRight(response.body)) return;
    this.wrong.push(`${what}: ${response?.status ?? 'no response'} ${JSON.stringify(response?.body)}`);
  }

  /** Claims what may be claimed already by others: a refusal is right, two owners of a plate are not. */
  async claimAndReturn(person: Person): Promise<void> {
    const path = `/v1/items/${this.#place.item}/claim`;
    const claimed = await this.send(person, 'POST', path, { quantity: 1 });
    if (claimed?.status === 422) return;
    this.#expect('claim', claimed, ({ quantity }) => quantity === 1);
    this.#expect('return', await this.send(person, 'DELETE', path), () => true);
  }

  async bookAndCancel(person: Person): Promise<void> {
    const path = `/v1/events/${this.#place.concert}/booking`;
    const booked = await this.send(person, 'POST', path, { seats: 2, waitlist: true });
    this.#expect('booking', booked, (body) => body.seats === 2);
    this.#expect('cancellation', await this.send(person, 'DELETE', path), () => true);
  }

  async read(person: Person): Promise<void> {
    const { dinner, concert } = this.#place;
    const [items, event] = await Promise.all([
      this.send(person, 'GET', `/v1/events/${dinner}/items`),
      this.send(person, 'GET', `/v1/events/${concert}`),
    ]);
    this.#expect('items', items, ({ data }) => data[0].quantityClaimed <= plates);
    this.#expect('event', event, ({ bookedCount }) => bookedCount <= seats);
  }

  /** Changes a record on one server: from then on, all show it, although they have cached it. */
  async rename(organizer: Person): Promise<void> {
    const path = `/v1/events/${this.#place.dinner}`;
    const title = `Dinner ${++this.#titles}`;
    const changed = await this.send(organizer, 'PATCH', path, { title }, this.#ends().at(this.#titles % 2));
    this.#expect('change', changed, (body) => body.title === title);
    for (const server of this.#ends())
      this.#expect(
        'title',
        await this.send(organizer, 'GET', path, undefined, server),
        (body) => body.title === title,
      );
  }

  /** Answers on the oldest and the newest server at once: both then show the same one of the answers. */
  async answerTwice(guest: Person): Promise<void> {
    const path = `/v1/events/${this.#place.dinner}`;
    const answers = ['going', 'interested'];
    const sent = await Promise.all(
      this.#ends().map((server, i) =>
        this.send(guest, 'POST', `${path}/rsvp`, { status: answers[i] }, server),
      ),
    );
    for (const [i, response] of sent.entries())
      this.#expect('RSVP', response, ({ myRsvp }) => myRsvp === answers[i]);
    const reads = await Promise.all(
      this.#ends().map((server) => this.send(guest, 'GET', path, undefined, server)),
    );
    for (const response of reads)
      this.#expect('own RSVP', response, ({ myRsvp }) => myRsvp !== null && myRsvp === reads[0]?.body.myRsvp);
  }

  /** The oldest and the newest server, as they are now. */
  #ends(): { url: string }[] {
    const { servers } = this.#environment;
    return [servers.at(0), servers.at(-1)].filter((server) => server !== undefined);
  }
}
