/** W9: the feed of a person. W10: the messages of a conversation. */

import { randomOf } from '../../../test/support/random.ts';
import { idOf, userCount } from '../../seed/ids.ts';
import { correspondentOf } from '../../seed/messages.ts';
import { eventColumns, listed, randomToken, setUser, sqlId, type WorkItem } from '../environment.ts';

const count = 10_000;
const me = sqlId('user', 'user');

const feed: WorkItem = {
  item: 'W9',
  variant: 'feed, token',
  bestPeer: null,
  async prepare(environment) {
    const random = randomOf(90);
    const requests = Array.from({ length: count }, () => ({
      method: 'GET' as const,
      path: '/v1/feed',
      token: randomToken(environment, random),
    }));
    return { requests, candidates: [{ name: 'by people', scripts: [feedScript] }] };
  },
};

/** Starts from the followed people: in the dataset, they are too few for a scan by time to be faster. */
const feedScript = `${setUser}
  with followed as materialized (
    select other_id as id, followed_by from relations where user_id = ${me} and follows
  ), hidden as materialized (
    select other_id as id from relations where user_id = ${me} and (blocks or blocked_by)
  ), reasons as (
    select e.id, e.start_at, e.organizer_id as person, true as is_organizer
    from followed f join events e on e.organizer_id = f.id
    where ${listed} and e.end_at > now()
    union all
    select e.id, e.start_at, f.id, false
    from followed f
    join users u on u.id = f.id and (f.followed_by or not u.is_private) and u.suspended_at is null
    join rsvps r on r.user_id = f.id and r.status = 'going'
    join events e on e.id = r.event_id
    where ${listed} and e.end_at > now() and e.organizer_id <> f.id
      and e.organizer_id not in (select id from hidden)
  ), page as (
    select id, start_at, count(*) as reasons, (array_agg(person order by is_organizer desc, person))[1:3] as people
    from reasons group by start_at, id order by start_at, id limit 21
  )
  select ${eventColumns}, r.status as my_rsvp, s.user_id as saved, p.reasons, p.people,
    array(select u.name from users u where u.id = any(p.people)) as names
  from page p join events e on e.id = p.id join event_counters c on c.event_id = e.id
  left join rsvps r on r.event_id = e.id and r.user_id = ${me}
  left join saves s on s.event_id = e.id and s.user_id = ${me}
  order by p.start_at, p.id;`;

const messages: WorkItem = {
  item: 'W10',
  variant: 'messages of a conversation, token',
  bestPeer: null,
  async prepare(environment) {
    const random = randomOf(100);
    const requests = Array.from({ length: count }, () => {
      const n = 1 + random.below(userCount);
      return {
        method: 'GET' as const,
        path: `/v1/users/${idOf('user', correspondentOf(n))}/messages`,
        token: environment.dataset.tokens[n - 1] ?? '',
      };
    });
    return { requests, candidates: [{ name: 'by key', scripts: [messagesScript] }] };
  },
};

/** Every person has a conversation with the person of the next number. */
const messagesScript = `${setUser}\\set other :user % ${userCount} + 1
  select u.id as other, m.id, m.is_own, m.text, m.created_at
  from users u left join lateral (
    select id, is_own, text, created_at from messages
    where user_id = ${me} and other_id = u.id order by id desc limit 21
  ) m on true
  where u.id = ${sqlId('user', 'other')};`;

export const feedAndMessages: WorkItem[] = [feed, messages];
