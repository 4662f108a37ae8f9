/** Reads what a report is about, for admins. */
import { type AdminReport, type Client, getEvent, isProblem, listItems } from '@potluck/client';

/** `visibility`: of an event. `href`: its page; null if it has none, or is deleted. */
export type ReportedSubject = {
  title: string | null;
  href: string | null;
  visibility: 'public' | 'unlisted' | 'private' | null;
};

const gone: ReportedSubject = { title: null, href: null, visibility: null };

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
    if (type === 'event') return { title: event.title, href, visibility: event.visibility };
    const { data: items } = await listItems({ client, path: { id: eventId } });
    const item = items.data.find((each) => each.id === id);
    return item ? { title: `${item.emoji} ${item.title}`, href, visibility: null } : gone;
  } catch (error) {
    if (isProblem(error, 'event_not_found')) return gone;
    throw error;
  }
}
