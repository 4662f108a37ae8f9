/** What relies on internals of Node.js and of libraries. `patches.test.ts` names each assumption. */
export {
  type Address,
  addressOf,
  type PoolCallback,
  redirect,
  streamOf,
  tlsOf,
  watchSettings,
} from './pg-client.ts';
