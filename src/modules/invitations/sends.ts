/** What invitations and reminders count towards the limits of a person (limits.ts), and when they leave. */
import { dayMs, newId } from '#base';
import { insertRows, sql, type Transaction } from '#pg';
import { dueAt, isYoung, type Way } from './limits.ts';

export type Send = {
  /** The person whose limits count it: who invites or reminds. */
  userId: string;
  id: string;
  subjectId: string;
  invitationId: string;
  way: Way;
  isReminder: boolean;
  contactHash: Buffer | null;
  isYoung: boolean;
  /** When the limits of the person let it leave. */
  dueAt: Date;
  /** When it leaves, or has left; null while it waits. */
  leavesAt: Date | null;
};

export type NewSend = Pick<Send, 'subjectId' | 'invitationId' | 'way' | 'isReminder' | 'contactHash'>;

/** The sends of a person that still count, and of those without a time of their own, when each leaves. */
export type Planner = {
  /** Links that the person has made in the last 24 hours. */
  links: number;
  plan: (send: NewSend) => Send;
};

/** Locks the account of a person against other invitations and reminders of it, and reads what counts towards its limits. */
export async function lockSends(tx: Transaction, userId: string, now: Date): Promise<Planner> {
  const [account] = await tx.query<{ createdAt: Date }>(
    sql`select created_at from users where id = ${userId} for no key update`,
  );
  const before = await tx.query<{ way: Way; dueAt: Date }>(sql`
    select way, due_at from invitation_sends
    where user_id = ${userId} and due_at > ${new Date(now.getTime() - dayMs)}`);
  const createdAt = account?.createdAt ?? now;
  const timesOf = (...ways: Way[]) =>
    before.filter(({ way }) => ways.includes(way)).map((send) => send.dueAt.getTime());
  const times = { mail: timesOf('inbox', 'email'), text: timesOf('phone') };
  const planTime = (kind: 'mail' | 'text'): Date => {
    const due = dueAt(
      kind,
      times[kind].toSorted((a, b) => a - b),
      createdAt,
      now,
    );
    times[kind].push(due.getTime());
    return due;
  };
  return {
    links: timesOf('link').length,
    plan: (send) => ({
      ...send,
      userId,
      id: newId(),
      isYoung: isYoung(createdAt, now),
      dueAt: send.way === 'link' ? now : planTime(send.way === 'phone' ? 'text' : 'mail'),
      leavesAt: send.way === 'link' ? now : null,
    }),
  };
}

export async function insertSends(tx: Transaction, sends: Send[]): Promise<void> {
  if (sends.length === 0) return;
  await tx.execute(
    insertRows('invitation_sends', sends, {
      ...{ userId: 'uuid', id: 'uuid', subjectId: 'uuid', invitationId: 'uuid', way: 'text' },
      ...{ isReminder: 'boolean', contactHash: 'bytea', isYoung: 'boolean' },
      ...{ dueAt: 'timestamptz', leavesAt: 'timestamptz' },
    }),
  );
}

/** The messages that wait for the limits of the person: how many, and when the last one leaves; null if none waits. */
export function waitingOf(sends: Send[], now: Date): { number: number; until: Date } | null {
  const waiting = sends.map((send) => send.dueAt.getTime()).filter((time) => time > now.getTime());
  return waiting.length === 0 ? null : { number: waiting.length, until: new Date(Math.max(...waiting)) };
}
