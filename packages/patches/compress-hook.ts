/** How `@fastify/compress` compresses the responses of a route. */
import type { onSendHookHandler, RouteOptions } from 'fastify';

/**
 * Takes the hook of the plugin from a route, for which it compresses: the last one, because the plugin adds it when the route
 * is registered.
 * @throws Error if the route has no hook
 */
export function takeCompressHook(route: RouteOptions): onSendHookHandler {
  const hooks = [route.onSend ?? []].flat() as onSendHookHandler[];
  const compress = hooks.pop();
  if (!compress) throw new Error(`@fastify/compress added no onSend hook to ${route.url}`);
  route.onSend = hooks;
  return compress;
}
