/**
 * The fields of a profile that its owner sets. A row of this table declares everything about a field; the type of rows, the
 * SQL of repo.ts, the schemas of requests, responses and the export, and versions follow from it. The avatar is beside the
 * table, because requests and responses have its address, and the row has the id of the upload.
 */
import { type Static, type TOptional, type TSchema, Type } from 'typebox';
import { columnOf, raw, type Statement } from '#pg';
import { languages } from '../../../../web/src/lib/language/languages.ts';
import { nullable, oneOf, prose, text, usernamePattern, visiblePattern } from '../../../http/schemas.ts';
import { maxPersonName } from '../../../lib/text.ts';

/** The name that people give themselves. */
export const personName = Type.String({
  minLength: 1,
  maxLength: maxPersonName,
  format: 'person-name',
  pattern: visiblePattern,
  examples: ['Mara Lindgren'],
});

/** In the order of responses. `stored`: the schema of the column, in responses and the export. */
const table = {
  name: { stored: Type.String({ examples: ['Mara Lindgren'] }), input: personName },
  username: {
    stored: Type.String({ examples: ['mara.l'] }),
    input: Type.String({
      minLength: 3,
      maxLength: 30,
      pattern: usernamePattern,
      description:
        '3–30 of a–z, 0–9, _ and ., with at least one letter or digit; stored in lower case. Reserved names such ' +
        'as `admin` and `support`, also with other punctuation or with digits at the end, result in a 409 ' +
        '`username_taken`.',
      examples: ['mara.l'],
    }),
  },
  bio: { stored: Type.String({ examples: ['Brings the sourdough.'] }), input: prose(500) },
  city: { stored: Type.String({ examples: ['Gothenburg'] }), input: text(0, 80) },
  language: {
    stored: nullable(oneOf(languages), {
      description:
        'Of mails. Null until the first sign-in of an account that a command created; mails are in English then.',
      examples: ['sv'],
    }),
    input: oneOf(languages, { description: 'Of mails.' }),
  },
  mailReplies: {
    stored: Type.Boolean({
      description:
        'Whether guests can reply to mails about your events: such mails have your mail address as `Reply-To`. False for a new ' +
        'account, and when the address is removed.',
      examples: [false],
    }),
    input: Type.Boolean({
      description:
        'Whether guests can reply to mails about your events. Every guest who gets mails then sees your mail address.',
    }),
  },
  isPrivate: {
    stored: Type.Boolean(),
    input: Type.Boolean({
      description:
        'A private profile is visible only to people whom you follow. Others can still follow you and write to you, ' +
        'unless you block them.',
    }),
  },
} satisfies Record<string, { stored: TSchema; input: TSchema }>;

type Table = typeof table;
type Name = keyof Table;
const names = Object.keys(table) as Name[];

const each = <Value>(make: (name: Name) => Value): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;

export const storedFields = each((name) => table[name].stored) as { [N in Name]: Table[N]['stored'] };
export const changedFields = each((name) => Type.Optional(table[name].input)) as {
  [N in Name]: TOptional<Table[N]['input']>;
};

export type ProfileFields = { [N in Name]: Static<Table[N]['stored']> };

/** The columns of `users u`. */
export const profileColumns: Statement = raw(names.map((name) => `u.${columnOf(name)}`).join(', '));

/** The values by column. */
export const columnsOf = (fields: ProfileFields): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [columnOf(name), fields[name]]));

/** The values in the order of versions. */
export const valuesOf = (fields: ProfileFields): unknown[] => names.map((name) => fields[name]);
