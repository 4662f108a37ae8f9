import { type Static, Type } from 'typebox';
import { languages } from '../../../web/src/lib/language/languages.ts';
import { maxInstanceName } from '../../config/instance-name.ts';
import { body, named, nullable, oneOf, ref, text } from '../../http/schemas.ts';
import { settingNames } from '../../instance/settings.ts';
import { contactKinds, messageKinds } from '../../lib/contact.ts';
import { country, email, phone } from '../accounts/codes/schemas.ts';
import { MeChange } from '../accounts/profile/schemas.ts';

const language = oneOf(languages, {
  description: 'The language for those who ask for none that the server has.',
  examples: ['sv'],
});
const nameDescription = 'The name by which mails and text messages call the server.';
const contactDescription =
  'How visitors reach the operator: a mail address, or the address of a page. Each page links to it.';
const signInDescription = 'The ways to sign in.';

const streetsDescription =
  'The town whose streets the map shows. Servers download them, within 10 km, from the newest map of Protomaps ' +
  '(OpenStreetMap), or from `STREETS_FROM`, and try again ten minutes after a failure.';
const name = { examples: ['Mölndal'] };
const place = {
  lat: Type.Number({ minimum: -85, maximum: 85, examples: [57.6554] }),
  lng: Type.Number({ minimum: -180, maximum: 180, examples: [12.0138] }),
};
export const StreetsOfTown = named('StreetsOfTown', Type.Object({ name: Type.String(name), ...place }));
export const StreetsState = named(
  'StreetsState',
  Type.Object({
    state: oneOf(['none', 'waiting', 'loading', 'ready', 'failed', 'fixed'], {
      description:
        'What became of `streets` on the server that answers. `ready` without `streets`: a command has downloaded them. ' +
        '`fixed`: the operator has set `MAP_TILES`.',
    }),
    percent: Type.Integer({ description: 'How much is downloaded.', examples: [40] }),
    reason: Type.String({ description: 'Why the last download failed; otherwise empty.', examples: [''] }),
  }),
);

export const InstanceSettings = named(
  'InstanceSettings',
  Type.Object({
    name: Type.String({ description: nameDescription, examples: ['Village events'] }),
    language,
    contact: nullable(Type.String({ examples: ['hello@example.org'] }), { description: contactDescription }),
    signIn: Type.Array(oneOf(contactKinds), { description: signInDescription, examples: [['email']] }),
    streets: nullable(ref(StreetsOfTown), { description: streetsDescription }),
    streetsState: ref(StreetsState),
    possibleSignIn: Type.Array(oneOf(contactKinds), {
      description: 'The ways to sign in for which the server is configured.',
      examples: [['phone', 'email']],
    }),
    fixed: Type.Array(oneOf(settingNames), {
      description: 'The settings that the operator has set in the environment. They cannot be changed.',
      examples: [['contact']],
    }),
    demoAccounts: Type.Integer({
      description: 'The number of accounts of the demonstration.',
      examples: [0],
    }),
  }),
);
export type InstanceSettings = Static<typeof InstanceSettings>;

const changes = {
  name: Type.Optional(
    text(1, maxInstanceName, {
      description: `${nameDescription} None of \`" < > @\`.`,
      examples: ['Village events'],
    }),
  ),
  language: Type.Optional(language),
  contact: Type.Optional(
    nullable(text(1, 500, { examples: ['hello@example.org'] }), {
      description: `${contactDescription} Null for none.`,
    }),
  ),
  streets: Type.Optional(
    nullable(body({ name: text(1, 200, name), ...place }), {
      description: `${streetsDescription} Null for none; downloaded ones stay.`,
    }),
  ),
  signIn: Type.Optional(
    Type.Array(oneOf(contactKinds), {
      minItems: 1,
      uniqueItems: true,
      description: signInDescription,
      examples: [['email']],
    }),
  ),
};
export const SettingsChange = body(changes, { examples: [{ name: 'Village events' }] });
export type SettingsChange = Static<typeof SettingsChange>;

const token = Type.String({
  maxLength: 100,
  description: 'The parameter `token` of the address that the server printed at its start.',
  examples: ['pf_Xr9Kc0dS…'],
});
export const SetupQuery = Type.Object({ token });

export const Setup = body(
  {
    token,
    displayName: { ...Type.Required(MeChange).properties.name, description: 'The name of the first admin.' },
    phone: Type.Optional(phone),
    country,
    email: Type.Optional(email),
    ...changes,
  },
  { examples: [{ token: 'pf_Xr9Kc0dS…', displayName: 'Noor Haddad', email: 'noor@example.org' }] },
);

export const TestMessage = body(
  { to: oneOf(messageKinds, { description: "The caller's own contact that gets the message." }) },
  { examples: [{ to: 'email' }] },
);
export const TestMessageState = named(
  'TestMessageState',
  Type.Object({
    isAccepted: Type.Boolean({ description: 'Whether the service took the message.' }),
    reply: Type.String({
      description: 'The words of the mail server or of the SMS service; may be empty.',
      examples: ['250 2.0.0 Ok: queued as 4F1C2'],
    }),
  }),
);
export const RemovedDemo = named(
  'RemovedDemo',
  Type.Object({ accounts: Type.Integer({ description: 'The number of deleted accounts.', examples: [16] }) }),
);
