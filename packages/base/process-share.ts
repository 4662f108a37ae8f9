/**
 * The share of this process in what a server may hold. The processes of a server with SERVERS above 1 share its limits
 * equally: each client reaches any of them, and none knows what the others hold.
 *
 * The first process tells its workers their number in this variable, and not in the configuration, because limits are
 * constants of modules.
 */
export const processesVariable = 'POTLUCK_PROCESSES';

const processes = Number(process.env[processesVariable] ?? 1);

/** The part of a limit of the server that this process has, rounded up. */
export const shareOf = (limit: number): number => Math.ceil(limit / processes);
