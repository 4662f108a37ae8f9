/** Reads what reports are about, for admins. */
import {
  type AdminReport,
  type Client,
  getEvent,
  isProblem,
  listAudit,
  listItems,
  listReports,
} from '@potluck/client';
import type { ReportCase, ReportedSubject } from '#lib/admin/moderation.ts';
import { load as read } from '#lib/server/problems.ts';

const gone: ReportedSubject = { title: null, href: null, event: null };

/**
 * Joins the reports of each subject.
 * @param reports a page of a list
 * @param limit of cases; the reports of further ones are left out
 */
export function toCases(client: Client, reports: AdminReport[], limit?: number): Promise<ReportCase[]> {
  const bySubject = Map.groupBy(reports, ({ subject, status }) => `${subject.type} ${subject.id} ${status}`);
  const cases = [...bySubject.values()].slice(0, limit).map(async ([report, ...others]) => {
    if (!report) throw new Error('A group of reports is empty.');
    return { report, reports: [report, ...others], subject: await readSubject(client, report) };
  });
  return Promise.all(cases);
}

/** Adds what happened with each person, of whom several cases may be about. */
export function withHistory(client: Client, cases: ReportCase[]): Promise<ReportCase[]> {
  const people = new Map<string, ReturnType<typeof readPerson>>();
  const complete = cases.map(async (found) => {
    const { id } = found.report.about;
    const reading = people.get(id) ?? readPerson(client, id);
    people.set(id, reading);
    const { reports, hasMore, wasSuspended } = await reading;
    const others = reports.filter((other) => !found.reports.some((own) => own.id === other)).length;
    return { ...found, history: { others, hasMore, wasSuspended } };
  });
  return Promise.all(complete);
}

async function readPerson(client: Client, id: string) {
  const query = { limit: 50 };
  const [{ data: reports, nextCursor }, { data: suspensions }] = await Promise.all([
    read(listReports({ client, query: { aboutId: id, ...query } })),
    read(listAudit({ client, query: { userId: id, what: 'account_suspended', ...query } })),
  ]);
  return {
    reports: reports.map((report) => report.id),
    hasMore: nextCursor !== null,
    // An admin's entries are also those of the people whom they suspended.
    wasSuspended: suspensions.some(({ userId }) => userId === id),
  };
}

export async function readSubject(
  client: Client,
  { subject, about, message }: AdminReport,
): Promise<ReportedSubject> {
  const { type, id } = subject;
  if (type === 'message') return { ...gone, title: message?.text ?? null };
  if (type === 'comment') return { ...gone, title: message?.text ?? null, href: message && commentHref(id) };
  if (type === 'user') return { ...gone, title: about.name, href: `/u/${about.id}` };
  const [eventId = ''] = id.split('.');
  try {
    const { data: event } = await getEvent({ client, path: { id: eventId } });
    const href = `/e/${event.id}`;
    if (type === 'event') return { title: event.title, href, event };
    const { data: items } = await listItems({ client, path: { id: eventId } });
    const item = items.data.find((each) => each.id === id);
    return item ? { title: `${item.emoji} ${item.title}`, href, event } : gone;
  } catch (error) {
    if (isProblem(error, 'event_not_found')) return gone;
    throw error;
  }
}

/** The comments on the page of the event, with whose id that of a comment begins. */
const commentHref = (id: string): string => `/e/${id.split('.', 1)[0]}#${id}`;
