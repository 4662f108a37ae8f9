/** W1: one event by its id. */

import { randomOf } from '../../../test/support/random.ts';
import { idOf } from '../../seed/ids.ts';
import {
  type Environment,
  eventColumns,
  randomEvents,
  randomToken,
  setEvent,
  setUser,
  sqlId,
  type WorkItem,
} from '../environment.ts';

const count = 20_000;

const variant = (withToken: boolean): WorkItem => ({
  item: 'W1',
  variant: withToken ? 'token' : 'no token',
  bestPeer: 2_657,
  async prepare(environment) {
    const random = randomOf(11);
    const requests = randomEvents(environment, count, 10, (kind) => kind !== 'private').map((n) => ({
      method: 'GET' as const,
      path: `/v1/events/${idOf('event', n)}`,
      ...(withToken && { token: randomToken(environment, random) }),
    }));
    return { requests, candidates: [{ name: 'by key', scripts: [script(environment, withToken)] }] };
  },
});

function script(environment: Environment, withToken: boolean): string {
  const mine = withToken
    ? `left join rsvps r on r.event_id = e.id and r.user_id = ${sqlId('user', 'user')}
      left join saves s on s.event_id = e.id and s.user_id = ${sqlId('user', 'user')}
      left join bookings b on b.event_id = e.id and b.user_id = ${sqlId('user', 'user')}`
    : '';
  return `${setEvent(environment)}${withToken ? setUser : ''}
    select ${eventColumns}, u.name, u.username, u.bio${withToken ? ', r.status as my_rsvp, s.user_id as saved, b.id, b.seats, b.status' : ''}
    from events e join event_counters c on c.event_id = e.id join users u on u.id = e.organizer_id ${mine}
    where e.id = ${sqlId('event', 'event')} and e.visibility <> 'private';`;
}

export const oneEvent: WorkItem[] = [variant(false), variant(true)];
