import { Problem } from '../../../lib/errors.ts';

/** Browsers offer web push only to pages that are served over https. */
export const isPushPossible = ({ publicUrl }: { publicUrl: string }): boolean =>
  publicUrl.startsWith('https:');

/** @throws Problem `push_unavailable` unless PUBLIC_URL is https */
export function requirePush(config: { publicUrl: string }): void {
  if (!isPushPossible(config)) throw new Problem('push_unavailable');
}
