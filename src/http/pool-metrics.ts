/** Metrics of the connections to the databases, read when Prometheus asks for them. */
import { Gauge } from 'prom-client';
import type { Database, PoolState } from '#pg';

/** The databases of this process by name: `primary`, or host and port of a replica. */
const databases = new Map<string, Pick<Database, 'pools'>>();

const each = (report: (labels: { database: string; pool: string }, state: PoolState) => void): void => {
  for (const [database, db] of databases)
    for (const [pool, state] of Object.entries(db.pools())) report({ database, pool }, state);
};

new Gauge({
  name: 'potluck_database_connections',
  help: 'Connections to a database, by use and state.',
  labelNames: ['database', 'pool', 'state'],
  collect() {
    this.reset();
    each((labels, { used, idle }) => {
      this.set({ ...labels, state: 'used' }, used);
      this.set({ ...labels, state: 'idle' }, idle);
    });
  },
});

new Gauge({
  name: 'potluck_database_waiting',
  help: 'Statements or transactions that wait for a connection.',
  labelNames: ['database', 'pool'],
  collect() {
    this.reset();
    each((labels, { waiting }) => this.set(labels, waiting));
  },
});

/** Includes a database in the metrics. @returns a function that ends it */
export function watchPools(name: string, db: Pick<Database, 'pools'>): () => void {
  databases.set(name, db);
  return () => {
    // Another app of the process may have replaced it.
    if (databases.get(name) === db) databases.delete(name);
  };
}
