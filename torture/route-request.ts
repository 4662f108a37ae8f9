/** A request that can be repeated. */
export type RouteRequest = {
  name: string;
  method: string;
  /** Sent in rotation. More than one, where a response to a repeated request would come from memory. */
  paths: string[];
  headers: Record<string, string>;
  raw?: Buffer;
};
