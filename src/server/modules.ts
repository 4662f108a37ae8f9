/** The modules, in the order of their imports: a module imports only those above it. */
import type { Module } from '../http/define-module.ts';
import { admin } from '../modules/admin/index.ts';
import { messages } from '../modules/messages/index.ts';
import { reports } from '../modules/reports/index.ts';
import { imageReception, uploads } from '../modules/uploads/index.ts';
import { users } from '../modules/users/index.ts';
import type { Services } from './services.ts';

export const modules: Module<Services>[] = [uploads, imageReception, users, messages, reports, admin];
