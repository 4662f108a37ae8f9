/** Notifications of the system for this browser (web push). */

/** Null where the browser or the address of the server does not allow it. */
export async function findPushManager(): Promise<PushManager | null> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return null;
  return (await navigator.serviceWorker.getRegistration())?.pushManager ?? null;
}

/** Asks the visitor, and subscribes this browser. @returns false if the visitor refuses @throws Error */
export async function subscribe(manager: PushManager, publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const subscription = await manager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const response = await fetch('/v1/push/subscriptions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(subscription),
  });
  if (response.ok) return true;
  await subscription.unsubscribe();
  throw new Error(`The server responded with ${response.status}.`);
}
