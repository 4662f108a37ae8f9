/** Writes the built pages to `build/`: files for browsers to `client/`, and the code of the server to `server/`. */
import type { Adapter } from '@sveltejs/kit';

export function createAdapter(out: string): Adapter {
  return {
    name: 'potluck',
    async adapt(builder) {
      builder.rimraf(out);
      builder.writeClient(`${out}/client`);
      await builder.compress(`${out}/client`);
      const server = builder.getServerDirectory();
      builder.generateServerInstance(`${server}/server.js`);
      builder.copy(server, `${out}/server`);
    },
  };
}
