import { type PersonRow, toPerson } from '../people/present.ts';
import type { AnnouncementRow } from './repo.ts';
import type { Announcement } from './schemas.ts';

/** @param isOrganizer whether the reader organizes the event, or is an admin */
export const toAnnouncement = (
  row: AnnouncementRow,
  author: PersonRow,
  { isOrganizer, publicUrl }: { isOrganizer: boolean; publicUrl: string },
): Announcement => {
  const { recipients, ...shown } = row;
  return { ...shown, author: toPerson(author, publicUrl), ...(isOrganizer && { recipients }) };
};
