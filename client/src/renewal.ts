import type { Send } from './retry.ts';
import type { ClientSession } from './session.ts';

/**
 * Sends a request again with a new access token if the server rejects the one that it had. A request that gets
 * a 401 has had no effect, so this is safe for every method.
 */
export function withRenewal(send: Send, session: ClientSession): Send {
  return async (request) => {
    const [, rejected] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
    if (rejected === undefined) return send(request);
    const response = await send(request.clone());
    if (response.status !== 401) return response;
    const token = await session.renew(rejected);
    if (token === undefined || token === rejected) return response;
    await response.body?.cancel();
    request.headers.set('authorization', `Bearer ${token}`);
    return send(request);
  };
}
