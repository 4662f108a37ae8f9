/** The question that the discovery index answers. */
import type { Box } from '../../../lib/coordinates.ts';
import type { Circle } from '../../../lib/grid-cells.ts';

export type IndexQuery = {
  /** In ms: events that end after `from`, and that start at or after `since` and at or before `until`. */
  from: number | null;
  since: number | null;
  until: number | null;
  category: string | null;
  /** Radius in km; a point on the rim is inside. */
  circle: Circle | null;
  box: Box | null;
  /** Only events that are known to cost nothing. */
  isFree: boolean;
  /** Folded words. Each must be a word of the event or the start of one. Null for a list without words. */
  words: string[] | null;
  /** Orders by grade: how well an event matches the words. */
  isGraded: boolean;
  /** Ids of organizers whose events are left out. */
  hiddenOrganizers: string[];
};

/**
 * Grades, the best first: all words are whole words of the title; all start a word of the title; all start a word of
 * title or address; all start a word anywhere.
 */
export const gradeCount = 4;
export const gradesOf = ({ words, isGraded }: IndexQuery): number =>
  words !== null && isGraded ? gradeCount : 1;

export type Slice = { page: number; limit: number };
export type Page = { ids: string[]; total: number };
