/** Whether the browser has a connection. Without one, pages show what was stored, and change nothing. */
import { invalidateAll } from '$app/navigation';

class Connection {
  isOffline = $state(false);
  /** How many requests wait for a busy server. */
  waiting = $state(0);
}

export const connection = new Connection();

/** Follows the connection until the returned function is called. A page is loaded again after an outage. */
export function followConnection(): () => void {
  const update = () => {
    const wasOffline = connection.isOffline;
    connection.isOffline = !navigator.onLine;
    if (wasOffline && !connection.isOffline) void invalidateAll();
  };
  update();
  window.addEventListener('online', update);
  window.addEventListener('offline', update);
  return () => {
    window.removeEventListener('online', update);
    window.removeEventListener('offline', update);
  };
}
