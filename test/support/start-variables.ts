import manifest from '../../package.json' with { type: 'json' };

/** The environment variables that `npm start` sets. */
export const startVariables: Record<string, string> = Object.fromEntries(
  Array.from(manifest.scripts.start.matchAll(/(\w+)=(\S+)/g), ([, name = '', value = '']) => [name, value]),
);

/** The options that `npm start` gives to Node.js. */
export const startOptions: string[] = manifest.scripts.start.match(/--[\w-]+=\S+/g) ?? [];
