/** W7: the items of an event. W8: user search and a profile. */

import { userSearchTerm } from '../../../src/modules/people/search/patterns.ts';
import { type Random, randomOf } from '../../../test/support/random.ts';
import { claimsEvent, idOf } from '../../seed/ids.ts';
import { type Environment, randomToken, setUser, sqlId, type WorkItem } from '../environment.ts';

const scripts = 40;
/** As many as pgbench takes: they differ in their cost. */
const searchScripts = 128;
const count = 10_000;

/** GET requests with random tokens. */
const getRequests = (environment: Environment, random: Random, path: () => string) =>
  Array.from({ length: count }, () => ({
    method: 'GET' as const,
    path: path(),
    token: randomToken(environment, random),
  }));

const items: WorkItem = {
  item: 'W7',
  variant: 'items of an event, token',
  bestPeer: null,
  async prepare(environment) {
    const random = randomOf(70);
    const events = await environment.sql<{ id: string }[]>`
      select distinct event_id as id from items
      where event_id <> ${idOf('event', claimsEvent(environment.plan.events))} order by event_id`;
    const requests = getRequests(environment, random, () => `/v1/events/${random.pick(events).id}/items`);
    // The numbers of the events with items are irregular, so each script contains one id.
    const script = () => `${setUser}
      select i.*, s.needed, s.claimed, c.id as claim, c.quantity
      from events e join items i on i.event_id = e.id
      join item_stock s on s.event_id = i.event_id and s.n = i.n
      left join claims c on c.event_id = i.event_id and c.n = i.n and c.user_id = ${sqlId('user', 'user')}
      where e.id = '${random.pick(events).id}' and e.visibility <> 'private' order by i.n;`;
    return { requests, candidates: [{ name: 'by key', scripts: Array.from({ length: scripts }, script) }] };
  },
};

/** Draws what people type of a name: the start of a word, a word, a part of one, or several words, in any case. */
function drawTerm(random: Random, name: string): string {
  const word = random.pick(name.split(' ').filter(({ length }) => length > 2));
  const from = random.below(word.length - 2);
  const [given = '', family = ''] = name.split(' ');
  const term = random.pick([
    word.slice(0, 2 + random.below(3)),
    word,
    word.slice(from, from + 3 + random.below(word.length - from - 2)),
    `${given} ${family.slice(0, 1 + random.below(family.length))}`,
  ]);
  return random.pick([term, term.toLowerCase(), term.toUpperCase()]);
}

const search: WorkItem = {
  item: 'W8',
  variant: 'user search, token',
  bestPeer: null,
  async prepare(environment) {
    const random = randomOf(80);
    // Some names have accents.
    const people = await environment.sql<{ name: string }[]>`select name from users order by id limit 5000`;
    const term = () => drawTerm(random, random.pick(people).name);
    const requests = getRequests(
      environment,
      random,
      () => `/v1/users/search?q=${encodeURIComponent(term())}`,
    );
    const script = () => searchScript(userSearchTerm(term()));
    return {
      requests,
      candidates: [{ name: 'by trigrams', scripts: Array.from({ length: searchScripts }, script) }],
    };
  },
};

const me = sqlId('user', 'user');

/** The limit is the default of the app. */
const searchScript = (term: string): string => `${setUser}
  select found.*, f.follows from (
    select id, name, username, bio, is_private from users
    where search like '%${term.length < 3 ? ` ${term}` : term}%' and not exists (
      select 1 from relations b where b.user_id = ${me} and b.other_id = users.id and (b.blocks or b.blocked_by))
    order by username <> '${term}', username not like '${term}%', search not like ' ${term}%',
      search not like '% ${term}%', username
    limit 10
  ) found left join relations f on f.user_id = ${me} and f.other_id = found.id;`;

const profile: WorkItem = {
  item: 'W8',
  variant: 'profile, token',
  bestPeer: null,
  async prepare(environment) {
    const random = randomOf(81);
    const people = await environment.sql<
      { id: string }[]
    >`select id from users where not is_private order by id`;
    const requests = getRequests(environment, random, () => `/v1/users/${random.pick(people).id}`);
    const script = `${setUser}\\set other random(1, ${environment.dataset.tokens.length})
      select u.id, u.name, u.username, u.bio, u.is_private, c.followers_count, c.following_count, c.events_count,
        r.follows, r.followed_by, r.blocks, r.blocked_by
      from users u join user_counters c on c.user_id = u.id
      left join relations r on r.user_id = ${me} and r.other_id = u.id
      where u.id = ${sqlId('user', 'other')};`;
    return { requests, candidates: [{ name: 'by key', scripts: [script] }] };
  },
};

export const listsAndPeople: WorkItem[] = [items, search, profile];
