/** What the organizer has just changed, and how many guests are told. */
export type SavedChanges = { time: boolean; place: boolean; told: number };
