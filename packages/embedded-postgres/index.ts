/** A PostgreSQL server that belongs to a directory of this program. */
export { findBinaries } from './binaries.ts';
export type { SocketTarget } from './cluster.ts';
export { type Embedded, openEmbedded } from './embedded.ts';
export { EmbeddedError } from './embedded-error.ts';
export { LockedError } from './file-lock.ts';
export { listLibraries, type NativeLibrary } from './libraries.ts';
export { type ClusterVersions, upgradeCluster } from './upgrade-cluster.ts';
