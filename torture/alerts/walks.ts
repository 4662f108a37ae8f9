/** The fault of each alert of deploy/prometheus-rules.yaml, and its end. */
import type { Walk } from './lab.ts';
import { machineWalks } from './machine-walks.ts';
import { messageWalks } from './message-walks.ts';
import { outageWalks } from './outage-walks.ts';
import { requestWalks } from './request-walks.ts';

export const walks: Walk[] = [...requestWalks, ...outageWalks, ...messageWalks, ...machineWalks];
