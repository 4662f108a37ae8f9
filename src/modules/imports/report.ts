/** What an import did, and what it did not do. */

/** Why an entry did not come in, or came in without a place. */
export type Cause = 'place' | 'title' | 'date' | 'broken' | 'replaced' | 'field';

/** A problem with an entry. `title` is its SUMMARY. */
export type EntryIssue = { line: number; title?: string; reason: string; cause: Cause };
/** Something about an imported entry. */
export type EntryNote = Omit<EntryIssue, 'cause'>;

export type ImportReport = {
  added: number;
  changed: number;
  unchanged: number;
  /** Of the added and changed events, those whose coordinates come from LOCATION. */
  placedByName: number;
  /** Of these, those that are at the place of the other events, of the command, or of the organizer. */
  placedByDefault: number;
  /** Entries that came in with a place to be announced, because nothing says where they are. */
  unplaced: EntryIssue[];
  /** Entries that were not imported, by line. */
  errors: EntryIssue[];
  /** Parts of imported entries that were omitted, shortened or mended, by line. */
  warnings: EntryNote[];
  /** The default place, and where it comes from; null without one. */
  place: { name: string; from: 'option' | 'calendar' | 'organizer' } | null;
};

export const emptyReport = (): ImportReport => ({
  added: 0,
  changed: 0,
  unchanged: 0,
  placedByName: 0,
  placedByDefault: 0,
  unplaced: [],
  errors: [],
  warnings: [],
  place: null,
});
