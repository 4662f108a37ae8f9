/** Errors that reach clients as responses. */
import { catalogue, type ProblemCode } from './problem-catalogue.ts';

/**
 * The rules of fields, by which clients choose a text in another language. Part of the API, like the codes. Rules that
 * no form can violate have no name.
 */
export const fieldRules = [
  'required',
  'min_length',
  'max_length',
  'min_items',
  'max_items',
  'unique_items',
  'minimum',
  'maximum',
  'above',
  'decimals',
  'number',
  'integer',
  'choice',
  'timestamp',
  'url',
  'place',
  'emoji',
  'currency',
  'time_zone',
  'one_line',
  'visible',
  'storable',
  'username',
  'phone',
  'phone_short',
  'phone_long',
  'email',
  'after_start',
  'days_after_start',
  'in_past',
  'after_end',
  'before_deadline',
  'needs_notice',
  'taken',
  'reserved',
  'own_upload',
] as const;
export type FieldRule = (typeof fieldRules)[number];

/** What a field violates. `limit`: the number in the message. */
export type Violation = { message: string; rule?: FieldRule | undefined; limit?: number | undefined };
/** An invalid field. `path`: the name of a parameter or header, or a path into the body, such as `location.lat`. */
export type FieldError = Violation & { path: string };

/** What a suspended person is told: when an admin suspended the account, and why. `reason`: may be empty. */
export type Suspension = { suspendedAt: Date; reason: string };

/** The account to which a contact belongs, as responses name a person. */
export type ProblemUser = { id: string; name: string; username: string; avatar: string; hasAccount: boolean };

/** An error with a code of the catalogue. `http/problems.ts` turns it into the response. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  /** Only for a sender who has proved that the account is theirs. */
  readonly suspension: Suspension | undefined;
  /** Only for a sender who has proved that the contact of the account is theirs. */
  readonly user: ProblemUser | undefined;
  /** In seconds; sent as `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ProblemCode,
    options: {
      detail?: string;
      errors?: FieldError[];
      suspension?: Suspension | undefined;
      user?: ProblemUser | undefined;
      retryAfter?: number | undefined;
    } = {},
  ) {
    super(options.detail ?? catalogue[code].detail);
    this.code = code;
    this.errors = options.errors;
    this.suspension = options.suspension;
    this.user = options.user;
    this.retryAfter = options.retryAfter;
  }
}

/** Returns Problem `invalid_request` for one field. The message continues the field's name: `is required`. */
export const invalid = (path: string, message: string, rule?: FieldRule, limit?: number): Problem =>
  invalidFields([{ path, message, rule, limit }]);

/** A body of 1 MiB can have 100,000 invalid fields. A response names the first ones. */
export const maxErrors = 20;
const maxPathLength = 100;

/**
 * Returns Problem `invalid_request` for several fields. Paths are cut, because clients choose the names of
 * fields.
 */
export function invalidFields(fields: FieldError[]): Problem {
  const errors = fields
    .slice(0, maxErrors)
    .map((error) => ({ ...error, path: error.path.slice(0, maxPathLength) }));
  const detail = `${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}.`;
  return new Problem('invalid_request', { detail, errors });
}

/** Reads a part of a body. @throws Problem the one that `read` throws, with the paths of its fields in the body */
export function readAt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_request' || !error.errors) throw error;
    throw invalidFields(error.errors.map((each) => ({ ...each, path: `${path}.${each.path}` })));
  }
}
