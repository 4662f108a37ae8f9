/** Descriptions of responses: content types of successes, and problems by status. */
import { type TSchema, type TSchemaOptions, Type } from 'typebox';
import { named, oneOf, ref, Suspension } from '../../http/schemas.ts';
import { fieldRules } from '../../lib/errors.ts';
import { catalogue, type ProblemCode } from '../../lib/problem-catalogue.ts';
import { Person } from '../../modules/people/schemas.ts';

/** One of `values`, or a text that a later version adds: clients in strict languages would fail at an unknown one. */
const openList = <T extends string>(values: readonly T[], options: TSchemaOptions = {}) =>
  Type.Unsafe<T>({ anyOf: [oneOf(values), { type: 'string' }], ...options });

/** A type of its own in generated clients. Each response lists the codes that it can have. */
const ProblemCodes = named(
  'ProblemCode',
  openList(Object.keys(catalogue) as ProblemCode[], {
    description:
      'The identifier of a problem for programs. A code never changes its meaning; later versions add codes.',
    examples: ['event_not_found'],
  }),
);

const FieldRules = named(
  'FieldRule',
  openList(fieldRules, {
    description: 'The rule that a field violates. Later versions add rules.',
    examples: ['max_length'],
  }),
);

const FieldError = named(
  'FieldError',
  Type.Object({
    path: Type.String({
      description: 'The name of a parameter, or a path into the body such as `location.lat`.',
    }),
    message: Type.String({ description: 'Continues the name of the field. Its text may change.' }),
    rule: Type.Optional(ref(FieldRules)),
    limit: Type.Optional(
      Type.Number({ description: 'The number in the message, such as the most characters.' }),
    ),
  }),
);

const Problem = named(
  'Problem',
  Type.Object(
    {
      type: Type.String({
        description: 'The address of the explanation of the code.',
        examples: ['/docs/errors#event_not_found'],
      }),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String({ description: 'An explanation for people. Its text may change.' }),
      code: ref(ProblemCodes),
      requestId: Type.String({
        description: 'Equals the header `X-Request-Id`. Include it in questions to the operator.',
      }),
      errors: Type.Optional(Type.Array(ref(FieldError), { description: 'The invalid fields.' })),
      suspension: Type.Optional(ref(Suspension)),
      user: Type.Optional(ref(Person)),
    },
    { description: 'The body of every error response (RFC 9457).' },
  ),
);

const streamDescription =
  'Server-sent events. Each has an `event`, JSON on one line in `data`, and an `id` if it is the last event of a ' +
  'change. Clients ignore lines that begin with a colon.';

/** Responses that are not JSON, by the end of the path. */
const contentByPath: { pathEnd: string; mediaType: string; description: string }[] = [
  { pathEnd: '.svg', mediaType: 'image/svg+xml', description: 'The image.' },
  { pathEnd: '.webp', mediaType: 'image/webp', description: 'The image.' },
  { pathEnd: '.csv', mediaType: 'text/csv', description: 'The table.' },
  { pathEnd: '.ics', mediaType: 'text/calendar', description: 'The calendar.' },
  { pathEnd: '/live', mediaType: 'text/event-stream', description: streamDescription },
  { pathEnd: '/metrics', mediaType: 'text/plain', description: 'Metrics in the Prometheus text format.' },
];

export function describeSuccess(status: string, path: string, schema: TSchema) {
  if (status === '304') return { description: 'The version that the client has is current.' };
  const content = contentByPath.find(({ pathEnd }) => path.endsWith(pathEnd));
  const { mediaType = 'application/json', description = 'Success.' } = content ?? {};
  return { description, content: { [mediaType]: { schema } } };
}

/** Response headers of problems by status. */
const retryAfter = { 'Retry-After': { type: 'integer', description: 'Seconds to wait.' } };
const headersByStatus: Record<number, object> = {
  401: {
    'WWW-Authenticate': {
      type: 'string',
      description: '`Bearer`, with `error="invalid_token"` for a token that is not valid (RFC 6750).',
    },
  },
  415: {
    'Accept-Encoding': {
      type: 'string',
      description: '`identity`, with `unsupported_content_encoding`: the accepted content codings of bodies.',
    },
  },
  429: retryAfter,
  503: retryAfter,
};

/** The response of a status that stands for all of `codes`. */
export function describeProblem(status: number, codes: ProblemCode[]) {
  const headers = headersByStatus[status];
  const code = openList(codes);
  return {
    description: codes.map((code) => `\`${code}\`: ${catalogue[code].title}.`).join('\n\n'),
    ...(headers && { headers }),
    content: {
      'application/problem+json': {
        schema: { allOf: [ref(Problem), { type: 'object', properties: { code } }] },
      },
    },
  };
}
