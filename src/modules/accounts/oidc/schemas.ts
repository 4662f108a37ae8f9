import { Type } from 'typebox';
import { body, named } from '../../../http/schemas.ts';
import { confirmCode } from '../contacts/schemas.ts';
import { BrowserSignedIn, next } from '../sign-in/schemas.ts';

export const OidcStart = body({ next: Type.Optional(next) }, { examples: [{ next: '/' }] });

export const OidcLink = body({ next: Type.Optional(next), confirmCode }, { examples: [{ next: '/' }] });

export const OidcStarted = named(
  'OidcStarted',
  Type.Object({
    url: Type.String({
      description: 'The page of the provider at which the person signs in.',
      examples: ['https://id.example.org/authorize?response_type=code&client_id=potluck'],
    }),
  }),
);

/** The parameters with which the provider sends the person back. */
const parameter = (description: string, maxLength = 4_096) => Type.String({ maxLength, description });
export const OidcResponse = body(
  {
    state: parameter('Of the sign-in that began in this browser.', 200),
    code: Type.Optional(parameter('What the server exchanges for the identity.')),
    iss: Type.Optional(parameter('The provider.', 1_000)),
    error: Type.Optional(parameter('Why the provider signs nobody in.', 200)),
  },
  { examples: [{ state: 'dVJ0aGlz…', code: 'SplxlOBeZQQYbYS6WxSbIA' }] },
);

export const OidcSignedIn = named(
  'OidcSignedIn',
  Type.Object({
    ...BrowserSignedIn.properties,
    next: { ...next, description: 'As at the start; empty without one.' },
  }),
);
