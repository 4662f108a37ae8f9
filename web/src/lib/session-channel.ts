/** Tells the other tabs of the browser about a sign-in or sign-out. */
import { invalidateAll } from '$app/navigation';

const channelName = 'potluck-session';

/**
 * Announces who is signed in, and loads the page again when another tab announces someone else.
 * @param personId null if no one is signed in
 * @returns a function that stops listening
 */
export function followSession(personId: string | null): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data !== personId) void invalidateAll();
  };
  channel.postMessage(personId);
  return () => channel.close();
}
