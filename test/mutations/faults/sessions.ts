/** Faults of sign-in, sessions, authentication and suspension. */
import { type Fault, faultsOf } from '../fault.ts';

export const sessionFaults: Fault[] = [
  ...faultsOf('src/http/authenticate.ts', [
    [
      "if (url.startsWith('/v1') && !config?.caller) throw",
      'if (false) throw',
      'http-edges',
      'a route without a declared access',
    ],
    [
      'if (!credential && caller && requiresToken(caller))',
      'if (false)',
      'access-matrix',
      'an operation without a token',
    ],
    [
      'if (!mayReadWithCookie(request)) return null;',
      '',
      'cross-site-requests',
      'another site reads with the cookie',
    ],
    ['if (refusal) throw refusal;', '', 'cross-site-requests', 'another site writes with the cookie'],
    [
      'if (session.isSuspended && !rules?.allowsSuspended)',
      'if (false)',
      'suspended-sessions',
      'a suspended person acts',
    ],
    ['!cached.isSuspended && ', '', 'suspended-sessions', 'a session outlives the restoration'],
    [
      'hooks.unshift((request, _reply, done) => done(refuseCrossSite(request, publicOrigin) ?? undefined));',
      '',
      'cross-site-requests',
      'another site signs a browser in',
    ],
  ]),
  ...faultsOf('src/http/same-origin.ts', [
    [
      "site === undefined || site === 'same-origin' || site === 'none'",
      'true',
      'cross-site-requests',
      'another site reads with the cookie',
    ],
    [
      "isOrigin ? origin : 'no address'",
      'origin',
      'cross-site-requests',
      'a response repeats any text of a client',
    ],
    [
      'if (isOwnPage) return null;',
      'return null;',
      'cross-site-requests',
      'another site writes with the cookie',
    ],
    [
      "headers.origin === publicOrigin : site === 'same-origin'",
      "headers.origin === publicOrigin : site !== 'cross-site'",
      'cross-site-requests',
      'another site of the domain writes',
    ],
    [
      'headers.origin === publicOrigin',
      'true',
      'cross-site-requests',
      'another site writes without Sec-Fetch-Site',
    ],
  ]),
  ...faultsOf('src/identity/sessions.ts', [
    ['&& session.accessExpiresAt > now', '', 'sessions', 'an expired token'],
    ['&& session.accessHash.equals(token.hash)', '', 'sessions', 'a replaced token'],
  ]),
  ...faultsOf('src/identity/sessions.ts', [
    ['await source.changeLog.catchUp();', '', 'sessions', 'another server accepts an ended session'],
  ]),
  ...faultsOf('src/identity/act-as.ts', [
    ['where u.suspended_at is null', 'where true', 'author-locks', 'a suspended person writes'],
    [
      'for key share of u, s ${skipLockedUnless(mayWaitForLocks)}',
      '',
      'author-locks',
      'a write commits after the deletion of its account',
    ],
    [
      "throw new Problem('token_invalid', { suspension });",
      '',
      'author-locks',
      'a write of an ended session',
    ],
    ['return { ...caller, role };', 'return caller;', 'admin-roles', 'a former admin acts'],
  ]),
  ...faultsOf('src/modules/accounts/sessions/sessions.ts', [
    ['if (session.isSuspended)\n', 'if (false)\n', 'suspended-sessions', 'a suspended person refreshes'],
    [' || session.refreshExpiresAt <= now', '', 'sessions', 'an expired refresh token'],
    ['if (inGrace && session', 'if (session', 'sessions', 'a stolen refresh token'],
    ['await deleteSession(tx, token);', '', 'sessions', 'a session outlives the theft of its token'],
  ]),
  ...faultsOf('src/identity/suspensions.ts', [
    [
      ' and t.token_hash = ${hash}',
      '',
      'suspension-reasons',
      'someone who knows the id of a person learns of the suspension',
    ],
  ]),
  ...faultsOf('src/modules/accounts/sessions/repo.ts', [
    [
      'await tx.query(sql`delete from sessions where user_id = ${userId}`);',
      '',
      'admin-suspension',
      'sessions outlive the suspension',
    ],
    [
      'and id = ${ids.sessionId} for update`',
      'and id = ${ids.sessionId}`',
      'sessions',
      'two successors of one token',
    ],
    [
      'await recordChange(tx, { records: [changedSessions([sessionKey(spent)])] });',
      '',
      'sessions',
      'another server accepts a replaced token',
    ],
    [
      'if (count > 0) await recordChange(tx, { records: [changedSessions([sessionKey(ids)])] });',
      '',
      'sessions',
      'another server accepts an ended session',
    ],
    [
      'await recordChange(tx, { records: [changedSessions(await listSessionKeys(tx, userId))] });',
      '',
      'admin-roles',
      'another server sees the former role',
    ],
  ]),
  ...faultsOf('src/modules/accounts/codes/check-code.ts', [
    ['codeHash && expiresAt > now', 'codeHash', 'sign-in', 'an expired code'],
    ['await useCode(tx, contactHash, purpose, requester);', '', 'sign-in', 'a code signs in twice'],
    [' || match.expiresAt <= now', '', 'mail-sign-in', 'a link in an old mail'],
    [
      '!match?.codeHash?.equals(hash)',
      '!match?.codeHash',
      'mail-sign-in',
      'a link that a newer mail has replaced',
    ],
    [
      'valid.find(({ requester }) => requester.equals(id))',
      'undefined',
      'code-lockout',
      'the code of a stranger replaces that of the owner',
    ],
    ['readCode(code)), now', 'code), now', 'sign-in', 'a code in Arabic digits'],
    [
      'if (failure instanceof Problem) return failure;',
      'if (failure instanceof Problem) return failure; if (codes.length === 0) return new Problem("wrong_code");',
      'code-lockout',
      'refusals tell who has signed in today',
    ],
    [
      'await subtractSend(tx, failure.scopes, now);',
      '',
      'code-lockout',
      'people who sign in use up the tries of their network',
    ],
  ]),
  ...faultsOf('src/modules/accounts/codes/contact-locks.ts', [
    [
      'await tx.query(sql`select pg_advisory_xact_lock(${a}::int, ${b}::int)`);',
      '',
      'sign-in',
      'fifty codes at once',
    ],
    [
      "lock(tx, keyedHash(secretKey, 'contacts', userId));",
      'Promise.resolve();',
      'contacts',
      'both contacts of an account are removed at once',
    ],
  ]),
  ...faultsOf('src/modules/accounts/sign-in/ways.ts', [
    [
      'if (!signIn.includes(kind)) throw',
      'if (false) throw',
      'mail-sign-in',
      'a way that the operator has taken away',
    ],
  ]),
  ...faultsOf('src/modules/accounts/contacts/tell-of-change.ts', [
    [
      'if (sms.delivers) await transaction(',
      'if (false) await transaction(',
      'contacts',
      'one account causes texts without a limit',
    ],
  ]),
  ...faultsOf('src/modules/accounts/codes/deliver-code.ts', [
    [
      "error.reason === 'rejected') return;",
      "error.reason === 'rejected') throw error;",
      'mail-server',
      'strangers see which addresses exist',
    ],
  ]),
  ...faultsOf('src/modules/accounts/contacts/permit-change.ts', [
    [
      "if (code === undefined || !first) return new Problem('confirmation_required');",
      'if (code === undefined || !first) return fresh;',
      'contact-confirmation',
      'a stolen session changes the contacts',
    ],
    [
      'reachable.find((each) => asked?.equals(hashContact(secretKey, each))) ?? first',
      'first',
      'contact-confirmation',
      'a code that the mail address got confirms nothing',
    ],
  ]),
  ...faultsOf('src/modules/accounts/deletion/confirming-contact.ts', [
    [
      '!newValues.includes(value) && ',
      '',
      'contact-confirmation',
      'a contact that a stolen session added confirms the deletion',
    ],
    [
      'if (newValues.length > 0 && !(found && canReceive(found)))',
      'if (newValues.length > 0 && !found)',
      'oidc-links',
      'a sign-in with a new contact deletes an account with an identity',
    ],
  ]),
  ...faultsOf('src/modules/accounts/contacts/change-contacts.ts', [
    [
      'await permission.accept();\n    await compared',
      'await compared',
      'contact-confirmation',
      'a code confirms two changes',
    ],
    ["throw new Problem('last_sign_in');", ';', 'contacts', 'an account that nobody can sign in to'],
    ["return new Problem('contact_taken');", ';', 'contacts', 'two accounts have one address'],
    [
      "return new Problem('contact_taken');",
      "throw new Problem('contact_taken');",
      'contacts',
      'a refused code is valid again',
    ],
    ['if (lost) await releaseContact(tx, userId, lost);', '', 'contacts', 'the former number signs in'],
    [
      'await keepAuditOf(tx, context.secretKey, { userId, contact: lost });',
      '',
      'contacts',
      'the next owner of a number reads what was recorded about the former one',
    ],
    [
      'if (lost) await deleteCodesOf(',
      'if (false) await deleteCodesOf(',
      'contacts',
      'traces of a former number',
    ],
    ['if (endOtherSessions) await', 'if (false) await', 'contacts', 'a stolen session outlives the change'],
    [
      'if (told) await storeMailOfChange(',
      'if (false) await storeMailOfChange(',
      'contacts',
      'a change that no mail tells',
    ],
    [
      'if (told) await textOfChange(',
      'if (false) await textOfChange(',
      'contacts',
      'a change that no text tells',
    ],
  ]),
  ...faultsOf('src/modules/accounts/codes/try-limits.ts', [
    ['recent.length >= maxInWindow', 'false', 'sign-in', 'codes can be guessed'],
    ['spent < budgets.unknown && spentOf', 'spentOf', 'code-lockout', 'many networks guess one number'],
  ]),
  ...faultsOf('src/modules/accounts/codes/send-limits.ts', [
    ['sent(contact) > max.contact ||', '', 'code-lockout', 'messages without a limit'],
    ['sent(strangers) > maxUnused', 'false', 'code-lockout', 'strangers use up the messages of a day'],
    ['max.network * times', 'max.network * 999', 'code-limits', 'codes to any number of contacts'],
    ["trust === 'unknown' ? Math.max", 'false ? Math.max', 'code-limits', 'strangers use up SMS_PER_DAY'],
  ]),
  ...faultsOf('src/modules/accounts/codes/requesters.ts', [
    [
      'largestNetworkOf(address)',
      'networksOf(address)[0].id',
      'code-lockout',
      'each network of a /48 has tries of its own',
    ],
    [
      'if (!isKnownAddress(address)) return;',
      '',
      'code-limits',
      'all closed connections are one known network',
    ],
  ]),
  ...faultsOf('src/lib/mail-address.ts', [
    ['!typedDomain.test(host)', 'false', 'src/lib/mail-address', 'a domain of any length is converted'],
    ['domainToASCII(host)', 'host.toLowerCase()', 'mail-sign-in', 'several accounts of one mailbox'],
  ]),
  ...faultsOf('src/lib/phone.ts', [
    [".replace(mexicanMobile, '+52')", '', 'sign-in', 'a Mexican number from an address book is refused'],
  ]),
  ...faultsOf('packages/base/ip-address.ts', [
    ['{ id: `${site}/48`, times: 4 },', '', 'code-limits', 'a customer with a /48 has limits for each /56'],
  ]),
  ...faultsOf('src/modules/accounts/codes/send-code.ts', [
    ['if (waitMs > 0) throw', 'if (false) throw', 'code-limits', 'two messages in a minute'],
  ]),
  ...faultsOf('src/modules/events/organizer-events.ts', [
    [
      'assignments({ hidden, updated_at: transactionTime })',
      'assignments({ updated_at: transactionTime })',
      'admin-suspension',
      'events of a suspended person',
    ],
    ['await lockOrganizedEvents(tx, userId);', '', 'admin-suspension', 'an event that is created meanwhile'],
  ]),
];
