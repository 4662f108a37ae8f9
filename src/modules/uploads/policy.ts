/** Decides who may change an upload. Everyone may read every upload whose owner is not suspended. */
import type { Viewer } from '../../identity/caller.ts';

/** The owner and admins may delete an upload. */
export const mayDeleteUpload = (viewer: Viewer, ownerId: string): boolean =>
  viewer.id === ownerId || viewer.role === 'admin';
