import type { GuestServices } from '../../guests/services.ts';

export type AnswerServices = GuestServices;
