/** A span for each request, in which its hooks and its handler run. */
import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { activeTracer, parseTraceparent, type Span } from '#telemetry';
import { isPageCall, monitoringPaths } from './admission.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined unless traces are exported. */
    span: Span | undefined;
  }
}

/** Must be registered before all hooks that do work of a request. */
export function registerTracing(app: FastifyInstance): void {
  const tracer = activeTracer();
  if (!tracer) return;
  app.decorateRequest('span', undefined);
  const enter = ({ span }: FastifyRequest, done: HookHandlerDoneFunction) =>
    span ? tracer.enter(span, done) : done();

  app.addHook('onRequest', (request, reply, done) => {
    const { method, id, headers } = request;
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (route !== undefined && monitoringPaths.has(route)) return done();
    // A page, or a span with which the instrumentation of an SDK began this request.
    const outer = isPageCall() || tracer.isOfSdk ? tracer.current() : undefined;
    const span = tracer.start(route === undefined ? method : `${method} ${route}`, {
      kind: outer ? 'internal' : 'server',
      parent: outer ?? parseTraceparent(headers.traceparent),
      attributes: {
        'http.request.method': method,
        ...(route !== undefined && { 'http.route': route }),
        'potluck.request.id': id,
      },
    });
    request.span = span;
    // `close` also comes after requests that the client gave up.
    reply.raw.once('close', () => {
      const { headersSent, statusCode, writableFinished } = reply.raw;
      if (headersSent) span.set({ 'http.response.status_code': statusCode });
      if (!writableFinished) span.set({ 'potluck.request.aborted': true });
      if (headersSent && statusCode >= 500) span.fail(`${statusCode}`);
      span.end();
    });
    enter(request, done);
  });
  // The body arrives, and turns are taken (admission.ts), in events of other requests or of none.
  app.addHook('preValidation', (request, _reply, done) => enter(request, done));
  app.addHook('preHandler', (request, _reply, done) => enter(request, done));
}
