/**
 * The lines of the sections 2 to 9 of the specification that tests must cover: the fields of the records, which are the first table
 * of a section, and the lines below. Annotations of tests may name further lines, which are extensions of the specification.
 */
import { fieldTablesOf, readSections, type Section } from '../operations/specification-tables.ts';

/** The sections of docs/specification.md, by their numbers. */
export const sections: Map<string, Section> = readSections();

/** The lines of a section that are no fields of a record. */
export const behaviours: Record<string, string[]> = {
  '2.5': ['the fields of 2.4'],
  '3': [
    'RSVP: none or interested → going',
    'RSVP: none or going → interested',
    'RSVP: going or interested → none',
    'saved flag: not saved → saved',
    'saved flag: saved → not saved',
    'follow: not following → following',
    'follow: following → not following',
    "block: not blocked → blocked, hidden from the blocker's feed",
    'block: blocked → not blocked',
    'block: a blocked person cannot send messages to the blocker',
    'claim: none → claimed, `quantityClaimed` grows',
    'claim: claimed → none',
    'claim: claimed → cancelled by removal of the item',
    'account: existing → deleted',
    'administrative block: not suspended → suspended',
    'administrative block: suspended → not suspended',
    'hidden event: not hidden → hidden',
    'hidden event: hidden → not hidden',
  ],
  '4.1': [
    'search people, token required',
    '`q`: name or nickname, at least 2 characters',
    '`limit`: default 10',
    'blocks in either direction remove people from the result',
  ],
  '4.2': ['profile, token optional'],
  '4.3': ['follow'],
  '4.4': ['unfollow'],
  '4.5': ['block'],
  '4.6': ['unblock'],
  '4.7': ['change the profile, with the response of GET /v1/auth/me'],
  '4.8': ['delete the account with `confirmCode`'],
  '4.9': [
    'list events, token optional',
    '`lat`, `lng`',
    '`radius`: km, default 50',
    '`category`',
    '`dateFrom`, `dateTo`',
    '`q`: full text',
    '`page`: default 1',
    '`limit`: default 20, at most 50',
    'combination of all filters',
    'only public events',
  ],
  '4.10': ['`q` required', '`page`, `limit`, and the format of GET /v1/events'],
  '4.11': ['full record, token optional'],
  '4.12': ['`status`: `going`, `interested` or null'],
  '4.13': ['`saved`'],
  '4.14': ['list items by `kind`, token optional'],
  '4.15': [
    'add an item, organizer or admin',
    '`title` required',
    '`kind` required',
    '`quantityNeeded` required',
    '`description` optional',
    '`emoji` optional',
    '`link` optional',
    '201 with five fields, `quantityClaimed` 0',
  ],
  '4.16': ['remove an item, organizer or admin', 'claims on the item end'],
  '4.17': ['`quantity` from 1 to the available quantity', 'a claim requires an RSVP of `going`'],
  '4.18': ['end a claim'],
  '5': [
    'Bearer token on protected operations',
    "optional token: operations work without it, and with it they add the caller's fields",
    'items: organizer of the event or admin',
    'a flag switches claiming off',
    'account deletion requires a code sent to the phone',
    'account deletion revokes all tokens immediately',
    'issue of tokens',
    'lifetime and refresh of tokens',
  ],
  '6': ['the removal of an item cancels its claims without a notification'],
  '7': [
    '404 user not found',
    '403 profile is private',
    '403 without an RSVP of `going`, or with the flag off',
    '409 already claimed',
    '422 above the available quantity',
    'one shape for every error',
  ],
  '8': [
    'user search `q` at least 2 characters',
    'user search `limit` default 10',
    '`radius` default 50 km',
    '`page` default 1',
    '`limit` default 20',
    '`limit` at most 50',
    'claim `quantity` from 1 to the available quantity',
  ],
  '9': ['the prefix `/v1`'],
};

export type Requirement = { section: string; title: string; lines: string[] };

export const specification: Requirement[] = [...sections]
  .filter(([section]) => /^([24]\.\d+|[35-9])$/.test(section))
  .map(([section, { title, text }]) => {
    const [record = []] = section.startsWith('2.') ? fieldTablesOf({ title, text }) : [];
    const lines = [...(behaviours[section] ?? []), ...record.map(({ name }) => `\`${name}\``)];
    return { section, title, lines };
  });
