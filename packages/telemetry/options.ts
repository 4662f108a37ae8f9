/** What a program tells the export of its traces, metrics and logs. */

export const signals = ['traces', 'metrics', 'logs'] as const;
export type Signal = (typeof signals)[number];

/** Where the data of a signal is sent. */
export type Destination = {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
  isCompressed: boolean;
};

export type TelemetryConfig = {
  /** Signals without one are not exported. */
  destinations: Partial<Record<Signal, Destination>>;
  /** What describes this server. */
  resource: Record<string, string>;
  /** `followsParent`: the sender of a request decides for its trace. `ratio`: the share of the other traces. */
  sampling: { followsParent: boolean; ratio: number };
  metricIntervalMs: number;
};
