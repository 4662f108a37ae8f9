import type { Event } from '@potluck/client';
import { m } from '#lib/messages/index.js';

export type CoverFocus = Event['coverFocus'];

/** The names of the parts of a photo that stay visible, in the rows of the form. */
export const coverFocuses: Record<CoverFocus, () => string> = {
  'left-top': m.organizer_focus_left_top,
  top: m.organizer_focus_top,
  'right-top': m.organizer_focus_right_top,
  left: m.organizer_focus_left,
  center: m.organizer_focus_center,
  right: m.organizer_focus_right,
  'left-bottom': m.organizer_focus_left_bottom,
  bottom: m.organizer_focus_bottom,
  'right-bottom': m.organizer_focus_right_bottom,
};
