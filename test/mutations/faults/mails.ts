/** Faults of mails: the queue, refusals, limits, encryption. */
import { type Fault, faultsOf } from '../fault.ts';

export const mailFaults: Fault[] = [
  ...faultsOf('src/mail/mails.ts', [
    [
      "and id = ${id} and state = 'queued' and due_at <= ${now}\n    returning",
      'and id = ${id}\n    returning',
      'mail-races',
      'two servers send one mail',
    ],
    [
      "set due_at = ${dueAt}, reply = ${reply}, refused_at = ${refusedAt}\n    where user_id = ${userId} and id = ${id} and state = 'queued' and attempts = ${attempts}",
      'set due_at = ${dueAt}, reply = ${reply}, refused_at = ${refusedAt}\n    where user_id = ${userId} and id = ${id}',
      'mail-races',
      'a suspended server delays what another one is sending',
    ],
    [
      "sql`and state = 'queued' and attempts = ${attempts}`",
      'empty',
      'mail-races',
      'a mail that was sent is called failed',
    ],
    [
      '(turns.get(mail.sourceId) ?? -1) + 1',
      '0',
      'mail-turns',
      'one person with many mails delays all others',
    ],
    [
      'set id = excluded.id, language = excluded.language, due_at = excluded.due_at`',
      'set due_at = mails.due_at`',
      'news-races',
      'a change is lost that comes while a server takes the mail about the one before',
    ],
    [', front?.turn ?? 0)', ')', 'mail-turns', 'a newcomer overtakes everybody for as long as others waited'],
    ['where ended_at < ${before}', 'where true', 'mail-queue', 'mails are deleted that were not sent'],
    [' or subject_id = ${userId}`', '`', 'admin-mails', 'mails about a deleted account are sent'],
  ]),
  ...faultsOf('src/mail/allowance.ts', [
    [
      'await tx.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.mailCounts})`);',
      '',
      'mail-races',
      'servers together send more than MAIL_PER_HOUR',
    ],
    ['- hourMs - minuteMs)', '- hourMs)', 'mail-turns', 'more than MAIL_PER_HOUR within 60 minutes'],
    ['notice: 4 / 5', 'notice: 1', 'mail-turns', 'notices keep people from signing in'],
    ['strangerCode: 9 / 10', 'strangerCode: 1', 'mail-races', 'strangers keep known people from signing in'],
    [
      'shareOfStrangers = 3 / 5',
      'shareOfStrangers = 1',
      'mail-races',
      'strangers keep notices from being sent',
    ],
  ]),
  ...faultsOf('src/mail/mail-sender.ts', [
    ['if (isOfServer) {', 'if (false) {', 'mail-queue', 'mails end because of a wrong password'],
    [
      'if (!(await isSuppressed(',
      'if (true || !(await isSuppressed(',
      'mail-queue',
      'mails to refused addresses',
    ],
    [
      'if (isOfAddress) await',
      'await',
      'mail-queue',
      'a mail that counts as spam ends all mails of the person',
    ],
    [
      'mail.isOn && now.getTime() >= this.#restsUntil',
      'mail.isOn',
      'mail-queue',
      'a mail server that fails gets connection after connection',
    ],
    [
      'if (hasFailed && now < this.#restsUntil) return;',
      '',
      'mail-queue',
      'after one failure of the mail server, mails wait for minutes',
    ],
    [
      'if (this.#isStopped) return null;',
      '',
      'mail-races',
      'a server that ends begins to send mails that arrive twice',
    ],
    [
      'await extendLeases(db, clock(), [...this.#sending.keys()]);',
      '',
      'mail-races',
      'a slow mail server gets each mail twice',
    ],
    ['< patienceMs', '< Infinity', 'mail-queue', 'a refused mail is sent for ever'],
  ]),
  ...faultsOf('src/modules/notifications/delivery/measure-backlogs.ts', [
    [
      'case when ${isHeldUp} then created_at else due_at end',
      'due_at',
      'metrics',
      'an operator does not learn that mails wait for a mail server that fails',
    ],
  ]),
  ...faultsOf('src/mail/read-failure.ts', [
    [
      "return command === 'RCPT TO' ? subject !== '7'",
      "return command === 'RCPT TO' ? true",
      'mail-queue',
      'an operator on a list of spammers loses all addresses',
    ],
    [
      "status !== 421 && (command === 'RCPT TO' || command === 'DATA')",
      'true',
      'mail-queue',
      'a wrong password ends all mails',
    ],
  ]),
  ...faultsOf('src/mail/layout.ts', [
    ['`<bdi>${escapeHtml(text)', '`<bdi>${text', 'mail-layout', 'names of people become HTML in mails'],
  ]),
  ...faultsOf('src/mail/create-mailer.ts', [
    ['hasLinks ? mail :', 'true ? mail :', 'mail-server', 'mails lead to addresses of the machine'],
  ]),
  ...faultsOf('src/mail/transport.ts', [
    ["requireTLS: tls === 'required',", '', 'mail-server', 'passwords and mails are readable on the way'],
  ]),
  ...faultsOf('src/modules/notifications/mail/store-mails.ts', [
    ['|| isMailed.has(keyOf(notification))', '', 'notification-mails', 'each message is mailed'],
    [
      'Math.max(now.getTime() + waitMs, nextAt)',
      'now.getTime() + waitMs',
      'notification-mails',
      'each change is mailed',
    ],
    ['now.getTime() + waitMs', 'now.getTime()', 'notification-mails', 'messages are mailed at once'],
    ['isCollected ? userId : notification', 'notification', 'notification-mails', 'each follower is mailed'],
  ]),
  ...faultsOf('src/modules/notifications/mail/write-mail.ts', [
    [
      'and mail_replies and',
      'and',
      'mail-replies',
      'guests read the address of an organizer who has not allowed it',
    ],
    [
      'isFromOrganizer ? findReplyAddress(services, row) : null',
      'findReplyAddress(services, row)',
      'mail-replies',
      'a mail about a message has the address of its writer',
    ],
  ]),
  ...faultsOf('src/modules/notifications/mail/find-reader.ts', [
    ['${address} in (u.email, u.phone)', 'true', 'notification-mails', 'mails go to former addresses'],
    [' and u.suspended_at is null', '', 'notification-mails', 'suspended people get mails'],
    [
      " || !reaches(kind, row.level ?? undefined, 'mail')",
      '',
      'news-races',
      'people who have unsubscribed get mails',
    ],
    [
      'and ${isCurrent(kind, clock())}',
      '',
      'notification-mails',
      'cancellations that were taken back are mailed',
    ],
    [
      'return (await isRefused(db, contactHash)) ? null : { hasAccount, invitation };',
      'return { hasAccount, invitation };',
      'guest-mails',
      'who refuses all invitations gets mails about a guest',
    ],
  ]),
  ...faultsOf('src/modules/accounts/accounts.ts', [
    [', mail_replies = false`', '`', 'mail-replies', 'guests read an address that was added for the sign-in'],
  ]),
  ...faultsOf('src/modules/notifications/delivery/deliver.ts', [
    [
      "row.count > 0 && reachesPerson(row, 'mail')",
      'row.count > 0',
      'notification-mails',
      'mails are stored that nobody wants',
    ],
    [
      'hasMailer: mailer.isOn',
      'hasMailer: true',
      'notification-mails',
      'mails are stored that no server sends',
    ],
  ]),
  ...faultsOf('src/modules/notifications/unsubscribe/unsubscribe-tokens.ts', [
    [
      'timingSafeEqual(bytes.subarray(packedIdBytes), sign(key, unsubscription))',
      'true',
      'unsubscribe',
      'everybody stops the mails of others',
    ],
    ['`${kind} ${userId}`', 'userId', 'unsubscribe', 'a token stops mails of any kind'],
  ]),
  ...faultsOf('src/modules/notifications/mail/store-summaries.ts', [
    ['and s.id > ${lastId}', '', 'mail-summaries', 'a summary has nothing new'],
    ['!isMorning(now, timezone)', 'false', 'mail-summaries', 'summaries come at night'],
    ['< pauseMs', '< 0', 'mail-summaries', 'summaries come all morning'],
  ]),
  ...faultsOf('src/modules/notifications/mail/write-summary.ts', [
    [
      't.level = any(${mailedLevels}) and ',
      '',
      'mail-summaries',
      'organizers get summaries that they have switched off',
    ],
  ]),
  ...faultsOf('src/modules/notifications/mail/get-event-mails.ts', [
    ['requireOrganizer(event.row, caller);', '', 'mail-summaries', 'guests learn who gets no mails'],
  ]),
];
