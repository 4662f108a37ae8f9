/** Sign-in, sessions, the caller's account, and the routes of operators. */
import { randomUUID } from 'node:crypto';
import {
  createUser,
  fromPage,
  nextAddress,
  nextPhone,
  requestCode,
  requestMail,
  tokenOf,
} from '../support/factories.ts';
import { collapse, cursorPage, yesOrNo } from './fields.ts';
import {
  asking,
  needed,
  type Operation,
  of,
  open,
  type Row,
  required,
  row,
  text,
  withToken,
} from './operation.ts';
import { profileFields } from './profile-fields.ts';
import { countryCode, flag, httpUrl, oneOf, opaque, orNull, prose } from './rules.ts';

const device = { deviceToken: prose(100) };
const country = { country: countryCode };
const codeOf = of({ phone: opaque, code: opaque }, { ...country, ...device });
const codeExample = { example: () => ({ phone: '+12025550123', code: '123456' }) };
/** Rows of a sign-in that only pages of the server may request. */
const rowsOfPages = (body: Required<Row>['body']) => ({
  rows: {
    '': { browserStatuses: [200, 403] as [number, number], headers: fromPage, body },
    'not from a page of this server': {
      statuses: Array(8).fill(403),
      browserStatuses: [200, 403] as [number, number],
      body,
    },
  },
});

/** Confirms a new contact of the caller, with the code that was sent to it. */
const confirming = (kind: 'phone' | 'email', next: () => string): Row => ({
  body: async ({ api, caller }) => {
    const { body } = await api.call('PUT', `/v1/me/${kind}`, {
      token: caller?.token,
      body: { [kind]: next() },
    });
    return { code: body.devCode ?? '000000' };
  },
  needsFreshPeople: true,
});

export const sessionOperations: Record<string, Operation> = {
  'GET /healthz': open(),
  'GET /readyz': open(),
  'GET /metrics': open(),

  'POST /v1/auth/otp/request': {
    ...open(202),
    ...of({ phone: opaque }, { ...country, ...device }),
    example: () => ({ phone: nextPhone() }),
  },
  'POST /v1/auth/otp/verify': {
    ...open(),
    ...codeOf,
    ...codeExample,
    ...row({
      body: async ({ api }) => {
        const phone = nextPhone();
        const { body } = await api.post('/v1/auth/otp/request', undefined, { phone });
        return { phone, code: body.devCode };
      },
    }),
  },
  'POST /v1/auth/browser-session': {
    ...open(),
    ...codeOf,
    ...codeExample,
    ...rowsOfPages(async ({ api }) => {
      const phone = nextPhone();
      return { phone, code: await requestCode(api, phone) };
    }),
  },
  'POST /v1/auth/email/request': {
    ...open(202),
    ...of({ email: opaque }, { ...device, next: prose(1_000) }),
    example: () => ({ email: nextAddress(), next: '/' }),
  },
  'POST /v1/auth/email/verify': {
    ...open(),
    ...of({ email: opaque, code: opaque }, device),
    example: () => ({ email: 'nobody@example.org', code: '123456' }),
    ...row({
      body: async ({ api }) => {
        const email = nextAddress();
        return { email, code: (await requestMail(api, email)).devCode };
      },
    }),
  },
  'POST /v1/auth/email/browser-session': {
    ...open(),
    ...of({ email: opaque, code: opaque }, device),
    example: () => ({ email: 'nobody@example.org', code: '123456' }),
    ...rowsOfPages(async ({ api }) => {
      const email = nextAddress();
      return { email, code: (await requestMail(api, email)).devCode };
    }),
  },
  'POST /v1/auth/email/link': {
    ...open(),
    ...of({ token: opaque }),
    example: () => ({ token: 'pl_none' }),
    ...rowsOfPages(async ({ api }) => ({ token: tokenOf(await requestMail(api, nextAddress())) })),
  },
  'POST /v1/auth/email/link/contact': {
    ...open(),
    ...of({ token: opaque }),
    example: () => ({ token: 'pl_none' }),
    ...row({ body: async ({ api }) => ({ token: tokenOf(await requestMail(api, nextAddress())) }) }),
  },
  // The server of these tests has no provider; test/oidc/ has one.
  'POST /v1/auth/oidc/start': {
    ...open(),
    ...of({}, { next: prose(1_000) }),
    example: () => ({ next: '/' }),
    ...row({ statuses: Array(8).fill(403) }),
  },
  'POST /v1/auth/oidc/finish': {
    ...open(),
    ...of({ state: opaque }, { code: opaque, iss: opaque, error: opaque }),
    example: () => ({ state: 'none', code: 'none' }),
    ...row({ statuses: Array(8).fill(403) }),
  },
  'POST /v1/auth/refresh': {
    ...open(),
    ...of({ refreshToken: opaque }),
    example: () => ({ refreshToken: 'pr_none' }),
    rows: {
      '': { body: async ({ api }) => ({ refreshToken: (await createUser(api)).refreshToken }) },
      "the caller's own": {
        statuses: [401, 401, 200, 200, 200, 200, 200, 401],
        browserStatuses: [200, 200],
        body: ({ caller }) => ({ refreshToken: caller?.refreshToken ?? 'pr_none' }),
        needsFreshPeople: true,
      },
    },
  },
  'POST /v1/auth/logout': { ...required(), ...row({ needsFreshPeople: true }) },
  'GET /v1/auth/me': required(),
  'GET /v1/auth/sessions': required(),
  'DELETE /v1/auth/sessions/{id}': {
    ...required(),
    rows: {
      "the caller's own": {
        path: async ({ caller, sessionOf }) =>
          `/v1/auth/sessions/${caller ? await sessionOf(caller) : randomUUID()}`,
        needsFreshPeople: true,
      },
      'another person’s': {
        statuses: withToken(404),
        path: async ({ api, sessionOf }) => `/v1/auth/sessions/${await sessionOf(await createUser(api))}`,
      },
    },
  },

  'PATCH /v1/me': {
    ...required(),
    ...of(
      {},
      {
        avatar: orNull(httpUrl),
        ...Object.fromEntries(Object.entries(profileFields).map(([name, { rule }]) => [name, rule])),
      },
    ),
    example: () => ({ city: 'Oslo' }),
  },
  'PUT /v1/me/email': {
    ...required(202),
    ...of({ email: opaque }),
    example: () => ({ email: nextAddress() }),
  },
  'POST /v1/me/email/verify': {
    ...required(),
    ...of({ code: opaque }, { confirmCode: opaque, endOtherSessions: flag }),
    example: () => ({ code: '123456' }),
    ...row(confirming('email', nextAddress)),
  },
  'DELETE /v1/me/email': {
    ...required(),
    ...asking({ confirmCode: text(opaque), endOtherSessions: yesOrNo }),
  },
  'POST /v1/me/oidc': {
    ...required(),
    ...of({}, { next: prose(1_000), confirmCode: opaque }),
    example: () => ({ next: '/' }),
    ...row({ statuses: withToken(403) }),
  },
  'DELETE /v1/me/oidc': {
    ...required(),
    ...asking({ confirmCode: text(opaque), endOtherSessions: yesOrNo }),
  },
  'PUT /v1/me/phone': {
    ...required(202),
    ...of({ phone: opaque }, country),
    example: () => ({ phone: nextPhone() }),
  },
  'POST /v1/me/phone/verify': {
    ...required(),
    ...of({ code: opaque }, { confirmCode: opaque, endOtherSessions: flag }),
    example: () => ({ code: '123456' }),
    ...row(confirming('phone', nextPhone)),
  },
  'DELETE /v1/me/phone': {
    ...required(),
    ...asking({ confirmCode: text(opaque), endOtherSessions: yesOrNo }),
    ...row({ statuses: withToken(409) }),
  },
  'POST /v1/me/contact-code': {
    ...required(202),
    ...of({ to: oneOf('phone', 'email') }),
    example: () => ({ to: 'phone' }),
  },
  'POST /v1/me/delete-code': required(202),
  'DELETE /v1/me': {
    ...required(),
    ...of({ confirmCode: opaque }),
    example: () => ({ confirmCode: '000000' }),
    ...row({
      body: async ({ api, caller }) => {
        const { body } = await api.post('/v1/me/delete-code', caller?.token);
        return { confirmCode: body.devCode ?? '000000' };
      },
      needsFreshPeople: true,
    }),
  },
  'GET /v1/me/events': {
    ...required(),
    ...asking({
      relation: needed(oneOf('organizing', 'going', 'interested', 'saved')),
      when: text(oneOf('upcoming', 'past')),
      collapse,
      ...cursorPage,
    }),
    ...row({ path: () => '/v1/me/events?relation=organizing' }),
  },
  'GET /v1/me/export': required(),
  'GET /v1/me/claims': { ...required(), ...asking(cursorPage) },
  'GET /v1/me/blocks': { ...required(), ...asking(cursorPage) },
};
