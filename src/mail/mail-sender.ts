/** Sends the mails of the queue (mails.ts): by the mail server, or those to phone numbers as text messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { dayMs } from '#base';
import type { Database } from '#pg';
import type { ReadyConfig } from '../config/config.ts';
import { hashAddress } from '../lib/mail-address.ts';
import { countMail, uncountMail } from './allowance.ts';
import type { MailContent } from './layout.ts';
import { type Mailer, MailFailure, type MailOutcome } from './mailer.ts';
import {
  dropMail,
  endMail,
  extendLeases,
  findDueMails,
  type Medium,
  mediumOf,
  postponeMail,
  type QueuedMail,
  takeMail,
} from './mails.ts';
import { isSuppressed, suppressAddress } from './suppressions.ts';

export type SenderServices = {
  config: Pick<ReadyConfig, 'secretKey' | 'mail'>;
  db: Database;
  clock: () => Date;
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  mailer: Mailer;
};

/** `takenAt`: when it was counted. */
type TakenMail = QueuedMail & { takenAt: Date };

/** How mails of a way are counted and sent. */
export type Carrier = {
  isOn: boolean;
  /** @returns false if no further mail may be sent now */
  count(now: Date): Promise<boolean>;
  /** Takes back the count of a mail that was not sent. */
  uncount(countedAt: Date): Promise<void>;
  /** @returns the words of the service that accepted it. @throws MailFailure */
  send(mail: { id: string; to: string; content: MailContent }): Promise<string>;
};

type Options = {
  /** What a mail says as things are now; null for a mail that tells nothing new any more. */
  write: (mail: QueuedMail) => Promise<MailContent | null>;
  count: (outcome: MailOutcome) => void;
  /** Sends text messages. */
  texts: Carrier;
  /** What follows when a mail was sent, or never will be. */
  end: (mail: QueuedMail, isSent: boolean) => Promise<void>;
};

/** Mails that a server sends at the same time. */
const maxSending = 4;
/** How long a mail server may refuse a mail for now. */
const patienceMs = 2 * dayMs;
const [firstPauseMs, maxPauseMs] = [60_000, 4 * 60 * 60_000];
/** How long a server waits after a failure that other mails would have too. */
const [firstRestMs, maxRestMs] = [15_000, 5 * 60_000];
/** How long the end of a process waits for the replies to mails that are being sent. */
const stopMs = 4_000;

export class MailSender {
  readonly #services: SenderServices;
  readonly #options: Options;
  readonly #carriers: Record<Medium, Carrier>;
  readonly #sending = new Map<TakenMail, Promise<void>>();
  #isStopped = false;
  /** Of the mail server, one after the other. */
  #failures = 0;
  #restsUntil = 0;

  constructor(services: SenderServices, options: Options) {
    this.#services = services;
    this.#options = options;
    const { db, config, mailer } = services;
    const mail: Carrier = {
      isOn: mailer.isOn,
      count: (now) => countMail(db, 'notice', config.mail.perHour, now),
      uncount: (countedAt) => uncountMail(db, 'notice', countedAt),
      send: mailer.send,
    };
    this.#carriers = { mail, text: options.texts };
  }

  /** Sends all mails that are due and that no other server sends. */
  async run(): Promise<void> {
    for (;;) {
      const mail = this.#sending.size < maxSending ? await this.#takeNext() : null;
      if (mail) this.#start(mail);
      else if (this.#sending.size === 0) return;
      // Mails that are stored meanwhile need not wait for a mail server that takes its time with others.
      else await Promise.race([...this.#sending.values(), sleep(1_000)]);
    }
  }

  /** Keeps other servers from taking the mails that are being sent. To be called more often than a lease ends. */
  async extendLeases(): Promise<void> {
    const { db, clock } = this.#services;
    await extendLeases(db, clock(), [...this.#sending.keys()]);
  }

  /** Takes no further mails, and waits for the replies to those that are being sent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.race([Promise.all(this.#sending.values()), sleep(stopMs)]);
  }

  async #takeNext(): Promise<TakenMail | null> {
    const { db, clock } = this.#services;
    const now = clock();
    if (this.#isStopped) return null;
    for (const way of this.#waysAt(now)) {
      const carrier = this.#carriers[way];
      const due = await findDueMails(db, now, { way, limit: maxSending });
      if (due.length === 0 || !(await carrier.count(now))) continue;
      for (const key of due) {
        const mail = await takeMail(db, now, key);
        if (mail) return { ...mail, takenAt: now };
      }
      await carrier.uncount(now);
    }
    return null;
  }

  /**
   * The ways by which mails can be sent now. Text messages do not wait for a mail server that rests, and mails that were stored
   * before mail was switched off wait until it is on.
   */
  #waysAt(now: Date): Medium[] {
    const { mail, text } = this.#carriers;
    const hasMail = mail.isOn && now.getTime() >= this.#restsUntil;
    return [...(hasMail ? (['mail'] as const) : []), ...(text.isOn ? (['text'] as const) : [])];
  }

  #start(mail: TakenMail): void {
    const { log } = this.#services;
    const sent = this.#send(mail)
      // The mail is taken again when its lease ends.
      .catch((error) => log.warn({ err: error, mail: mail.id }, 'what became of a mail could not be stored'))
      .finally(() => this.#sending.delete(mail));
    this.#sending.set(mail, sent);
  }

  async #send(mail: TakenMail): Promise<void> {
    const { db, clock } = this.#services;
    const { id, address: to } = mail;
    const carrier = this.#carriers[mediumOf(mail)];
    const content = await this.#writeUnlessSuppressed(mail);
    if (!content) return await carrier.uncount(mail.takenAt);
    const reply = await carrier.send({ id, to, content }).catch((error) => {
      if (error instanceof MailFailure) return error;
      throw error;
    });
    if (mediumOf(mail) === 'mail') this.#remember(reply);
    if (reply instanceof MailFailure) return await this.#storeFailure(mail, reply);
    this.#count(mail, 'sent');
    await endMail(db, mail, 'sent', { reply, now: clock() });
    await this.#options.end(mail, true);
  }

  /** Text messages have a metric of their own, where they are sent. */
  #count(mail: QueuedMail, outcome: MailOutcome): void {
    if (mediumOf(mail) === 'mail') this.#options.count(outcome);
  }

  /** @returns null if nothing is to be sent, which is stored */
  async #writeUnlessSuppressed(mail: QueuedMail): Promise<MailContent | null> {
    const { db, config, clock } = this.#services;
    const content = await this.#options.write(mail);
    if (!content) {
      await dropMail(db, mail);
      return null;
    }
    if (!(await isSuppressed(db, hashAddress(config.secretKey, mail.address)))) return content;
    this.#count(mail, 'suppressed');
    await endMail(db, mail, 'suppressed', { reply: '', now: clock() });
    await this.#options.end(mail, false);
    return null;
  }

  /** After a failure that other mails would have too, a server rests, longer and longer. */
  #remember(reply: string | MailFailure): void {
    const hasFailed = reply instanceof MailFailure && reply.isOfServer;
    const now = this.#services.clock().getTime();
    // The mails that were sent at the same time fail as one.
    if (hasFailed && now < this.#restsUntil) return;
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    const restMs = Math.min(firstRestMs * 2 ** (this.#failures - 1), maxRestMs);
    this.#restsUntil = hasFailed ? now + restMs : 0;
  }

  async #storeFailure(mail: QueuedMail, failure: MailFailure): Promise<void> {
    const { db, config, clock, log } = this.#services;
    const { reply, reason, isOfAddress, isOfServer } = failure;
    const now = clock();
    log.info(
      { mail: mail.id, kind: mail.kind, outcome: reason, ...failure.logged },
      'a mail could not be sent',
    );
    this.#count(mail, reason);
    if (reason === 'rejected') {
      if (isOfAddress) await suppressAddress(db, hashAddress(config.secretKey, mail.address), now);
      await endMail(db, mail, 'failed', { reply, now });
      return await this.#options.end(mail, false);
    }
    // What the operator has to correct ends no mail. It is sent when this server has rested, or by another one.
    if (isOfServer) {
      const dueAt = new Date(Math.max(this.#restsUntil, now.getTime()));
      return await postponeMail(db, mail, { reply, dueAt, refusedAt: mail.refusedAt });
    }
    const refusedAt = mail.refusedAt ?? now;
    const refusedMs = now.getTime() - refusedAt.getTime();
    if (refusedMs < patienceMs)
      return await postponeMail(db, mail, { reply, dueAt: pauseAfter(refusedMs, now), refusedAt });
    this.#count(mail, 'expired');
    await endMail(db, mail, 'failed', { reply, now });
    await this.#options.end(mail, false);
  }
}

/** As long as the mail is refused already. Two days are 16 attempts. */
const pauseAfter = (refusedMs: number, now: Date): Date =>
  new Date(now.getTime() + Math.min(refusedMs + firstPauseMs, maxPauseMs));
