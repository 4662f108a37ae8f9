import type { FastifyRequest } from 'fastify';
import type { Transaction } from '#pg';
import type { AuditContext } from '../../../audit/audit.ts';
import type { Contact } from '../../../lib/contact.ts';
import type { Problem } from '../../../lib/errors.ts';
import type { AccountServices } from '../services.ts';
import { checkCode, checkLink } from './check-code.ts';
import type { CodeUse } from './hashes.ts';
import type { LinkProof } from './links.ts';
import { senderOf } from './requesters.ts';

/** What proves that the client can read messages to the contact: the code of a message, or the link of a mail. */
export type Proof<C extends Contact = Contact> = { contact: C } & (
  | { code: string; deviceToken?: string }
  | { link: LinkProof }
);

/**
 * Uses up the code, and counts a wrong one. The caller must let the transaction commit after a refusal.
 * @param use what the code confirms; that of a link is in its token
 * @returns null, or a Problem `wrong_code` or `too_many_tries`
 */
export function checkProof(
  tx: Transaction,
  services: Pick<AccountServices, 'config'>,
  context: AuditContext,
  { request, proof, use }: { request: FastifyRequest; proof: Proof; use: CodeUse },
): Promise<Problem | null> {
  if ('link' in proof) return checkLink(tx, context, proof.link);
  const { contact, code, deviceToken } = proof;
  const sender = senderOf(services, request, deviceToken);
  return checkCode(tx, context, { ...use, contact, code, field: 'code', sender });
}
