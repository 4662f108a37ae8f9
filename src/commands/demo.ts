import type { Config } from '../config.ts';
import { inWorld, type World } from './world.ts';

export const demoPhones = [
  { who: 'admin', phone: '+12025550100' },
  { who: 'organizer', phone: '+12025550101' },
  { who: 'guest', phone: '+12025550102' },
];

export async function demoCommand(config: Config): Promise<void> {
  await inWorld(config, seedDemo);
}

export async function seedDemo(_world: World): Promise<void> {}
