/** All work items, in the order of the table. */
import type { WorkItem } from '../environment.ts';
import { claims } from './claims.ts';
import { feedAndMessages } from './feed-and-messages.ts';
import { listsAndPeople } from './lists-and-people.ts';
import { nearby } from './nearby.ts';
import { oneEvent } from './one-event.ts';
import { pages } from './pages.ts';
import { rsvps } from './rsvps.ts';
import { text } from './text.ts';
import { varied } from './varied.ts';

export const workItems: WorkItem[] = [
  ...varied,
  ...oneEvent,
  ...nearby,
  ...text,
  ...rsvps,
  ...claims,
  ...listsAndPeople,
  ...feedAndMessages,
  ...pages,
];
