/** Reads what reports are about, for admins. */
import { type AdminReport, type Client, getEvent, isProblem, listItems } from '@potluck/client';
import type { ListedReport, ReportedSubject } from '#lib/people/admin.ts';

const gone: ReportedSubject = { title: null, href: null, event: null };

/** @param reports a page of a list */
export const withSubjects = (client: Client, reports: AdminReport[]): Promise<ListedReport[]> =>
  Promise.all(reports.map(async (report) => ({ report, subject: await readSubject(client, report) })));

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
