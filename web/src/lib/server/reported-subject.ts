/** Reads what reports are about, for admins. */
import { type AdminReport, type Client, getEvent, isProblem, listItems } from '@potluck/client';
import type { ReportCase, ReportedSubject } from '#lib/people/admin.ts';

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

export async function readSubject(
  client: Client,
  { subject, about, message }: AdminReport,
): Promise<ReportedSubject> {
  const { type, id } = subject;
  if (type === 'message') return { ...gone, title: message?.text ?? null };
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
