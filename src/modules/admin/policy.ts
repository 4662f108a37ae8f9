/** Decides which changes admins may make to accounts. */
import { Problem } from '../../lib/errors.ts';

/** An admin cannot be suspended. @throws Problem `is_admin` */
export function requireSuspendable({ role }: { role: 'user' | 'admin' }): void {
  if (role === 'admin') throw new Problem('is_admin');
}

/** The last admin cannot lose the role. @throws Problem `last_admin` */
export function requireOtherAdmin(hasOtherAdmin: boolean): void {
  if (!hasOtherAdmin) throw new Problem('last_admin');
}
