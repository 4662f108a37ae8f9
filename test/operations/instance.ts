/** The first admin, and the settings of the instance. */
import { fromPage } from '../support/factories.ts';
import { language } from './fields.ts';
import {
  adminsOnly,
  asking,
  needed,
  type Operation,
  of,
  open,
  required,
  row,
  rowOfAdmins,
} from './operation.ts';
import {
  countryCode,
  instanceName,
  line,
  number,
  object,
  oneOf,
  opaque,
  operatorContact,
  orNull,
  orOpen,
  personName,
  waysToSignIn,
} from './rules.ts';

const settings = {
  name: instanceName,
  language,
  contact: orNull(operatorContact),
  signIn: waysToSignIn,
  streets: orNull(
    object({ required: { name: line(1, 200), lat: number(-85, 85), lng: number(-180, 180) }, optional: {} }),
  ),
};

/** The handler does not read what these mean without a valid token, or for a person who is no admin. */
const unread = { name: orOpen(instanceName), contact: orOpen(orNull(operatorContact)) };

export const instanceOperations: Record<string, Operation> = {
  // There is an admin in these tests. test/instance/ has servers without one.
  'GET /v1/setup': {
    ...open(),
    ...asking({ token: needed(opaque) }),
    ...row({ statuses: Array(8).fill(404), path: () => '/v1/setup?token=pf_none' }),
  },
  'POST /v1/setup': {
    ...open(),
    ...of(
      { token: opaque, displayName: personName(80) },
      { phone: opaque, country: countryCode, email: opaque, ...settings, ...unread },
    ),
    example: () => ({ token: 'pf_none', displayName: 'Noor', email: 'noor@example.org' }),
    rows: {
      '': { statuses: Array(8).fill(404), browserStatuses: [404, 403], headers: fromPage },
      'not from a page of this server': { statuses: Array(8).fill(403), browserStatuses: [404, 403] },
    },
  },
  'GET /v1/admin/settings': { ...required(), ...rowOfAdmins() },
  'PATCH /v1/admin/settings': {
    ...required(),
    ...of({}, { ...settings, ...unread }),
    example: () => ({ name: 'Potluck' }),
    ...rowOfAdmins(),
  },
  'POST /v1/admin/test-message': {
    ...required(),
    ...of({ to: oneOf('phone', 'email') }),
    example: () => ({ to: 'phone' }),
    ...row({ statuses: adminsOnly(200) }),
  },
  'DELETE /v1/admin/demo-data': { ...required(), ...rowOfAdmins() },
};
