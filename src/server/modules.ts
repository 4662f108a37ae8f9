/** The modules, in the order of their imports: a module imports only those above it. */
import type { Module } from '../http/define-module.ts';
import { imageReception, uploads } from '../modules/uploads/index.ts';
import { users } from '../modules/users/index.ts';
import type { Services } from './services.ts';

export const modules: Module<Services>[] = [uploads, imageReception, users];
