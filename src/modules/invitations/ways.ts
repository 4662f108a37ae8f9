/** How an invitation reaches a person. */
import type { MessageContact } from '../../lib/contact.ts';
import type { Way } from './limits.ts';
import type { InvitationRow } from './repo.ts';
import type { InvitationServices } from './services.ts';

/** Whether the server sends messages of each kind. */
export type OpenWays = Record<MessageContact['kind'], boolean>;

export async function readWays({
  mailer,
  instance,
}: Pick<InvitationServices, 'mailer' | 'instance'>): Promise<OpenWays> {
  const { signIn } = await instance.settings();
  return { email: mailer.isOn, phone: signIn.includes('phone') };
}

/** `link`: its maker passes it on. */
export const wayOf = ({ isById, contactKind }: Pick<InvitationRow, 'isById' | 'contactKind'>): Way =>
  isById ? 'inbox' : (contactKind ?? 'link');

export const isWayOn = (ways: OpenWays, way: Way): boolean => way === 'inbox' || way === 'link' || ways[way];
