/**
 * SIGHUP, which `systemctl reload` sends. With a terminal it means that the terminal was closed, and stops the server
 * (command/stop.ts). Without one it would end the process at once, so each process of a server listens to it.
 */
export function onHangUp(act: () => void): void {
  if (!process.stdout.isTTY) process.on('SIGHUP', act);
}

/** For the time in which there is nothing to restart, and for processes that another one restarts. */
export const keepRunningAfterHangUp = (): void => onHangUp(() => {});
