import type { AccountServices } from '../accounts/services.ts';
import type { AttendanceServices } from '../attendance/services.ts';

export type InvitationServices = AttendanceServices & AccountServices;
