import { Type } from 'typebox';
import { body, named } from '../../http/schemas.ts';
import { BrowserSignedIn } from '../auth/schemas.ts';

const next = Type.String({
  maxLength: 1_000,
  description:
    'A text that the response to the end of the sign-in has, such as the path of the page to open then.',
  examples: ['/e/0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'],
});

export const OidcStart = body({ next: Type.Optional(next) }, { examples: [{ next: '/' }] });

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
