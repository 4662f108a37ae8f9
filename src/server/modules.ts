/** The modules, in the order of their imports: a module imports only those above it. */
import type { Module } from '../http/define-module.ts';
import { discovery } from '../modules/discovery/index.ts';
import { events } from '../modules/events/index.ts';
import { feed } from '../modules/feed/index.ts';
import { users } from '../modules/users/index.ts';
import type { Services } from './services.ts';

export const modules: Module<Services>[] = [users, events, discovery, feed];
