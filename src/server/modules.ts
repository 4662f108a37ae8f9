/** The modules, in the order of their imports: a module imports only those above it. */
import type { Module } from '../http/define-module.ts';
import { calendars } from '../modules/calendars/index.ts';
import { live } from '../modules/live/index.ts';
import { users } from '../modules/users/index.ts';
import { health } from './health/index.ts';
import type { Services } from './services.ts';

export const modules: Module<Services>[] = [users, calendars, live, health];
