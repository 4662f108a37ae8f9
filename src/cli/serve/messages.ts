/** What the processes of a server tell each other. */
import type { Target } from '#pg';

/** The first message to a worker. `number`: from 1 to SERVERS; its successor has the same. */
export type Start = { type: 'start'; number: number; secretKey: string; target: Target };

/** `readMetrics`: the primary asks for the metrics of a worker. `metrics`: those of all workers, for the one that asked. */
export type ToWorker = Start | { type: 'readMetrics'; round: number } | { type: 'metrics'; texts: string[] };

/** `askMetrics`: a worker was asked for the metrics of all. `metrics`: its own. */
export type ToPrimary = { type: 'askMetrics' } | { type: 'metrics'; round: number; text: string };
