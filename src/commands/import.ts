import type { Config } from '../config.ts';
export async function importCommand(_config: Config, _rest: string[], _options: object): Promise<void> {}
