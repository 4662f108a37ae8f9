/** What relies on internals of Node.js and of libraries. `patches.test.ts` names each assumption. */
export { takeCompressHook } from './compress-hook.ts';
export { closeAfter, postponeClose, responseOn, stopAccepting } from './node-http.ts';
export {
  type Address,
  addressOf,
  type PoolCallback,
  redirect,
  streamOf,
  tlsOf,
  watchSettings,
} from './pg-client.ts';
