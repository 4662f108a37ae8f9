/**
 * The path of an image that was uploaded to this server; null for any other address. An image on another server
 * would reveal the visitor's address to that server.
 */
export const uploadOf = (address: string | null): string | null =>
  /\/v1\/uploads\/[^/?#]+$/.exec(address ?? '')?.[0] ?? null;
