/** Loaded by servers before anything else: leads the requests to `push.example.net` to the stub. See push-stub.ts. */
import http from 'node:http';
import https from 'node:https';

const { request } = https;

https.request = ((url: string | URL, options: https.RequestOptions, ...rest: []) => {
  const target = new URL(url);
  if (target.hostname !== 'push.example.net') return request(url, options, ...rest);
  // The agent of the product connects with TLS, and to public addresses alone.
  const { agent: _, ...plain } = options;
  return http.request(`http://127.0.0.1:${process.env.PUSH_STUB_PORT}${target.pathname}`, plain);
}) as typeof https.request;
