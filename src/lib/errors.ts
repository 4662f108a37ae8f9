/**
 * The catalogue of problems: the only definition of each problem code's status and title. Codes are part of
 * the API: the meaning of a released code never changes.
 */

type ProblemDefinition = { status: number; title: string; detail: string };

/** `detail` is the default explanation; /docs/errors lists all of them. */
export const catalogue = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    detail:
      'A field, parameter or header is missing, unknown, of the wrong type or out of range; `errors` names each.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    detail: 'The body could not be parsed. Send one JSON object, encoded as UTF-8.',
  },
  self_relation: {
    status: 400,
    title: 'The person is the caller',
    detail: 'The caller cannot follow, block, write to or report themselves.',
  },
  image_invalid: {
    status: 400,
    title: 'The image cannot be used',
    detail:
      'The image must be a complete JPEG, PNG or WebP file with at most 50 megapixels and 100 frames. Its first bytes ' +
      'determine the format.',
  },
  wrong_code: {
    status: 400,
    title: 'The code is wrong or has expired',
    detail: 'Only the newest code is valid, for five minutes and for one use. Request a new code.',
  },
  token_missing: {
    status: 401,
    title: 'Sign in first',
    detail: 'Send `Authorization: Bearer <access token>`, or sign in with a browser session.',
  },
  token_invalid: {
    status: 401,
    title: 'The access token is not valid',
    detail:
      'The access token, or the cookie of the browser session, is malformed, expired or revoked. Refresh it, or sign in again.',
  },
  refresh_token_invalid: {
    status: 401,
    title: 'The refresh token is not valid',
    detail: 'It is malformed, expired, revoked or was used before. Sign in again.',
  },
  not_organizer: {
    status: 403,
    title: 'Only the organizer may do this',
    detail: "The caller is neither the event's organizer nor an admin.",
  },
  not_owner: {
    status: 403,
    title: 'Only its owner may do this',
    detail: 'The caller did not upload the image and is not an admin.',
  },
  rsvp_required: {
    status: 403,
    title: 'An RSVP is required',
    detail: 'Claiming requires an RSVP of `going` for the event of the item.',
  },
  claims_disabled: {
    status: 403,
    title: 'Claiming is switched off',
    detail: 'The operator of this server has switched claiming off.',
  },
  feature_disabled: {
    status: 403,
    title: 'This feature is switched off',
    detail: 'The operator of this server has switched this feature off.',
  },
  push_unavailable: {
    status: 403,
    title: 'Web push is not available',
    detail:
      'This server is not reached over https, which web push requires. Its operator can change PUBLIC_URL.',
  },
  module_disabled: {
    status: 403,
    title: 'This part of the event is switched off',
    detail: "The event's `enabledModules` do not include the module of this operation.",
  },
  not_admin: {
    status: 403,
    title: 'Only admins may do this',
    detail: 'The caller is not an admin of this server.',
  },
  account_suspended: {
    status: 403,
    title: 'This account is suspended',
    detail:
      'An admin of this server has suspended the account. Until it is restored, it may only export its data, delete ' +
      'itself and log out.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request came from another site',
    detail:
      'A cookie authenticates a request that changes something only if a page of this server sent it. The server accepts ' +
      "`Sec-Fetch-Site: same-origin` or, without that header, an `Origin` that equals the origin of the server's address.",
  },
  profile_private: {
    status: 403,
    title: 'This profile is private',
    detail: 'Only its owner, admins and the people whom the owner follows can see it.',
  },
  guest_list_private: {
    status: 403,
    title: 'This guest list is private',
    detail:
      'The organizer and admins can see it. `guestListVisibility` of the event says whether its guests can too; guests ' +
      'are people with an RSVP, a booking, a place in the waitlist or a claim.',
  },
  blocked: {
    status: 403,
    title: 'One of you has blocked the other',
    detail: 'While one person blocks another, neither can follow or write to the other.',
  },
  route_not_found: {
    status: 404,
    title: 'There is nothing here',
    detail: 'No operation has this path. /docs lists all operations.',
  },
  event_not_found: {
    status: 404,
    title: 'No such event',
    detail: 'The event does not exist, or the caller may not see it.',
  },
  user_not_found: { status: 404, title: 'No such person', detail: 'No account has this id.' },
  item_not_found: {
    status: 404,
    title: 'No such item',
    detail: 'The item does not exist, or the caller may not see its event.',
  },
  calendar_not_found: {
    status: 404,
    title: 'No such calendar',
    detail: 'The URL is unknown or was revoked. The owner of the calendar can create a new URL.',
  },
  claim_not_found: {
    status: 404,
    title: 'Nothing is claimed',
    detail: 'The caller has no claim on this item.',
  },
  subject_not_found: {
    status: 404,
    title: 'Nothing to report',
    detail: 'The reported event, item, message or person does not exist, or the caller may not see it.',
  },
  report_not_found: { status: 404, title: 'No such report', detail: 'No report has this id.' },
  flag_not_found: {
    status: 404,
    title: 'No such flag',
    detail: 'GET /v1/admin/flags lists all flags.',
  },
  booking_not_found: {
    status: 404,
    title: 'Nothing is booked',
    detail: 'The caller has no booking for this event and is not on its waitlist.',
  },
  session_not_found: {
    status: 404,
    title: 'No such session',
    detail: 'The caller has no session with this id.',
  },
  notification_not_found: {
    status: 404,
    title: 'No such notification',
    detail: 'The caller has no notification with this id, or a newer one has replaced it.',
  },
  push_subscription_not_found: {
    status: 404,
    title: 'No such subscription',
    detail:
      'The caller has no subscription with this id. It ends with its session, and when the browser ends it.',
  },
  upload_not_found: {
    status: 404,
    title: 'No such image',
    detail: 'The image was not uploaded, or was deleted.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This method is not allowed here',
    detail: 'The path does not support this method; the `Allow` header lists the supported methods.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    detail: 'Headers must arrive within 5 seconds, an image within 60.',
  },
  already_claimed: {
    status: 409,
    title: 'Already claimed',
    detail: 'The caller has a claim on this item. Change its quantity with `PATCH`.',
  },
  quantity_below_claimed: {
    status: 409,
    title: 'More than that is claimed',
    detail: '`quantityNeeded` cannot be lower than the quantity already claimed.',
  },
  already_booked: {
    status: 409,
    title: 'Already booked',
    detail: 'The caller has a booking for this event, or is on its waitlist. Change its seats with `PATCH`.',
  },
  no_seats: {
    status: 409,
    title: 'Not that many seats are free',
    detail: 'The seats are booked or reserved for the waitlist. Join the waitlist with `waitlist: true`.',
  },
  capacity_below_booked: {
    status: 409,
    title: 'More seats than that are booked',
    detail: '`capacity` cannot be lower than the number of seats already booked.',
  },
  already_reported: {
    status: 409,
    title: 'Already reported',
    detail: 'The caller has an earlier report of this subject.',
  },
  is_admin: {
    status: 409,
    title: 'That person is an admin',
    detail: 'Admins cannot be suspended. Revoke their role first.',
  },
  last_admin: {
    status: 409,
    title: 'That person is the last admin',
    detail: 'Give another person the role first.',
  },
  username_taken: { status: 409, title: 'This username is taken', detail: 'Choose another one.' },
  idempotency_key_in_use: {
    status: 409,
    title: 'This key is in use at this moment',
    detail: 'A request with the same `Idempotency-Key` has not ended. Retry this request later.',
  },
  event_cancelled: {
    status: 409,
    title: 'The event is cancelled',
    detail:
      'A cancelled event accepts no new RSVPs, items, claims or bookings. They can still be removed; saving and reading ' +
      'still work.',
  },
  item_list_full: {
    status: 409,
    title: 'The item list of this event is full',
    detail:
      'An event may have up to 500 items, with up to 1 MiB of text in total. Remove items or shorten their texts first.',
  },
  storage_full: {
    status: 409,
    title: 'The storage for your images is full',
    detail: "A person's images may use up to 1 GiB of storage. Delete some of them first.",
  },
  precondition_failed: {
    status: 412,
    title: 'Changed meanwhile',
    detail:
      'The record has changed since the client read the version in `If-Match`. Read it again, then decide what to change.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    detail: 'A body may have up to 1 MiB, an image up to 10 MiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This media type is not supported',
    detail: 'Send `Content-Type: application/json`; for an image its type, or `application/octet-stream`.',
  },
  unsupported_content_encoding: {
    status: 415,
    title: 'This content encoding is not supported',
    detail: 'Send the body without compression: leave `Content-Encoding` out, or send `identity`.',
  },
  quantity_unavailable: {
    status: 422,
    title: 'Not that many are left',
    detail: 'The quantity is above what is left of the item.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This key was used for another request',
    detail:
      'Within 24 hours an `Idempotency-Key` identifies one request: its method, path and body. Use a new key.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    detail:
      'A limit on the rate of requests, messages or reports, or on the number of open streams, uploads or unread responses, is reached. ' +
      'Wait for the number of seconds in `Retry-After`.',
  },
  too_many_uploads: {
    status: 429,
    title: 'Too many images today',
    detail:
      'A person may upload 100 images per day (UTC). `Retry-After` has the number of seconds until the next day.',
  },
  quota_exceeded: {
    status: 429,
    title: 'Too many created today',
    detail:
      'The operator limits how many events and items a person may create per day (UTC), and how many people a person ' +
      'may follow. `Retry-After` has the number of seconds until the next day.',
  },
  too_many_codes: {
    status: 429,
    title: 'Too many codes were sent',
    detail:
      'A limit on sending codes is reached. Wait for the number of seconds in `Retry-After`, or use the newest code that the ' +
      'phone has received: it may still be valid.',
  },
  too_many_tries: {
    status: 429,
    title: 'Too many wrong codes',
    detail:
      'Five wrong codes lock the number for a client network or device and a purpose, for up to 15 minutes; 100 lock it for up ' +
      'to a day. Wait for the number of seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    detail: 'Send less than 16 KiB of headers.',
  },
  internal_error: {
    status: 500,
    title: 'Unexpected error',
    detail: 'The server has logged the error with the `requestId`. Tell the operator if it persists.',
  },
  unavailable: {
    status: 503,
    title: 'Not available right now',
    detail:
      'The server is overloaded, or its database is not available or did not respond in time. A write may have taken ' +
      'effect; read before you retry.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The image storage is not available',
    detail: 'The image could not be stored or read. Try again later.',
  },
  sms_unavailable: {
    status: 503,
    title: 'The message could not be sent',
    detail: 'The SMS service did not accept the message. Try again later.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof catalogue;

/**
 * An invalid field. `path` is the name of a parameter or header, or a path into the body, such as
 * `location.lat`.
 */
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
  'after_start',
  'days_after_start',
  'taken',
  'own_upload',
] as const;
export type FieldRule = (typeof fieldRules)[number];

/** What a field violates. `limit`: the number in the message. */
export type Violation = { message: string; rule?: FieldRule | undefined; limit?: number | undefined };
export type FieldError = Violation & { path: string };

/** An error with a code of the catalogue. `http/problems.ts` turns it into the response. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  /** In seconds; sent as `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ProblemCode,
    options: { detail?: string; errors?: FieldError[]; retryAfter?: number } = {},
  ) {
    super(options.detail ?? catalogue[code].detail);
    this.code = code;
    this.errors = options.errors;
    this.retryAfter = options.retryAfter;
  }
}

/** Returns Problem `invalid_request` for one field. The message continues the field's name: `is required`. */
export const invalid = (path: string, message: string, rule?: FieldRule, limit?: number): Problem =>
  invalidFields([{ path, message, rule, limit }]);

/** A body of 1 MiB can have 100,000 invalid fields. */
const maxErrors = 20;
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
