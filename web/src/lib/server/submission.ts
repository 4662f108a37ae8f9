/** Forms and data that a page asks for again while the server is busy (retrying-fetch.ts). */
import { createHash } from 'node:crypto';
import type { Client } from '@potluck/client';

/**
 * Gives the requests of a submitted form keys that follow from the form's own, so that the form can be sent again:
 * the API answers what it has done already with its first response. A key of the operation itself takes precedence.
 */
export function useFormKey(client: Client, key: string | null): void {
  if (key === null) return;
  client.interceptors.request.use((request, { headers, method, url, path, serializedBody }) => {
    if (!request.headers.has('idempotency-key') || new Headers(headers as HeadersInit).has('idempotency-key'))
      return request;
    const operation = JSON.stringify([key, method, url, path, serializedBody]);
    request.headers.set('idempotency-key', createHash('sha256').update(operation).digest('hex'));
    return request;
  });
}

type DataNode = { type: string; error?: { status?: number } } | null;

/** Whether the data of a page have an error that passes: SvelteKit sends it with the status 200. */
export async function hasTemporaryError(response: Response): Promise<boolean> {
  if (!response.headers.get('content-type')?.startsWith('application/json')) return false;
  const { nodes = [] } = (await response.clone().json()) as { nodes?: DataNode[] };
  return nodes.some((node) => isTemporary(node?.error?.status));
}

export const isTemporary = (status: number | undefined): boolean => status === 429 || status === 503;
