/**
 * The catalogue of everything that can go wrong, and the only place where a code gets its status and title.
 * A code is part of the API: once released it keeps its meaning.
 */

type Entry = { status: number; title: string; detail: string };

/** code → status, title, and a sentence that says what to do about it (shown on /docs/errors). */
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
    title: 'That is you',
    detail: 'Nobody can follow, block, write to or report themselves.',
  },
  image_invalid: {
    status: 400,
    title: 'This is no image that can be taken',
    detail:
      'It must be a complete JPEG, PNG or WebP of at most 50 megapixels and 100 frames. Its first bytes decide the format.',
  },
  wrong_code: {
    status: 400,
    title: 'The code is wrong or has expired',
    detail: 'Only the newest code counts, for five minutes and for one use. Ask for a new one if in doubt.',
  },
  token_missing: {
    status: 401,
    title: 'Sign in first',
    detail: 'Send `Authorization: Bearer <access token>`.',
  },
  token_invalid: {
    status: 401,
    title: 'The access token is not valid',
    detail: 'It is malformed, expired or revoked. Refresh it, or sign in again.',
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
    detail: 'The caller is neither who uploaded it nor an admin.',
  },
  rsvp_required: {
    status: 403,
    title: 'Answer the event first',
    detail: 'Claiming needs an RSVP of `going` on the event of the item.',
  },
  claims_disabled: {
    status: 403,
    title: 'Claiming is switched off',
    detail: 'The operator of this server has switched claiming off.',
  },
  feature_disabled: {
    status: 403,
    title: 'This is switched off',
    detail: 'The operator of this server has switched this feature off for now.',
  },
  module_disabled: {
    status: 403,
    title: 'This part of the event is switched off',
    detail: "The event's `enabledModules` do not include the list of this kind, or `booking`.",
  },
  not_admin: {
    status: 403,
    title: 'Only admins may do this',
    detail: 'The caller is no admin of this server.',
  },
  account_suspended: {
    status: 403,
    title: 'This account is suspended',
    detail: 'An admin of this server has suspended the account. It cannot sign in until it is restored.',
  },
  profile_private: {
    status: 403,
    title: 'This profile is private',
    detail: 'Only its owner, admins and the people whom the owner follows may see it.',
  },
  blocked: {
    status: 403,
    title: 'One of you has blocked the other',
    detail: 'While a block stands between two people, neither can follow or write to the other.',
  },
  route_not_found: {
    status: 404,
    title: 'There is nothing here',
    detail: 'No operation has this path. See /docs for those that exist.',
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
    detail: 'The address is unknown, or has ended. Its owner can make a new one.',
  },
  claim_not_found: {
    status: 404,
    title: 'Nothing is claimed',
    detail: 'The caller has no claim on this item.',
  },
  subject_not_found: {
    status: 404,
    title: 'Nothing to report',
    detail: 'What is reported does not exist, or the caller may not see it.',
  },
  report_not_found: { status: 404, title: 'No such report', detail: 'No report has this id.' },
  flag_not_found: {
    status: 404,
    title: 'No such flag',
    detail: 'GET /v1/admin/flags lists those that there are.',
  },
  booking_not_found: {
    status: 404,
    title: 'Nothing is booked',
    detail: 'The caller has no booking of this event, and does not wait for one.',
  },
  session_not_found: {
    status: 404,
    title: 'No such session',
    detail: 'The caller has no session with this id.',
  },
  upload_not_found: {
    status: 404,
    title: 'No such image',
    detail: 'It was never uploaded, or has been deleted.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This method is not allowed here',
    detail: 'The path exists, but not with this method; the `Allow` header lists those that do.',
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
    detail: 'As many as are claimed must stay needed.',
  },
  already_booked: {
    status: 409,
    title: 'Already booked',
    detail: 'The caller has a booking of this event, or waits for one. Change its seats with `PATCH`.',
  },
  no_seats: {
    status: 409,
    title: 'Not that many seats are free',
    detail: 'They are taken, or others wait for them. Wait too, with `waitlist: true`.',
  },
  capacity_below_booked: {
    status: 409,
    title: 'More seats than that are booked',
    detail: 'As many seats as are booked must stay.',
  },
  already_reported: {
    status: 409,
    title: 'Already reported',
    detail: 'The caller has reported this before. Once is enough: it is not forgotten.',
  },
  is_admin: {
    status: 409,
    title: 'That is an admin',
    detail: 'Admins cannot be suspended. Take the role from them first.',
  },
  last_admin: {
    status: 409,
    title: 'That is the last admin',
    detail: 'Give somebody else the role first.',
  },
  username_taken: { status: 409, title: 'This username is taken', detail: 'Choose another one.' },
  idempotency_key_in_use: {
    status: 409,
    title: 'This key is in use at this moment',
    detail: 'A request with the same `Idempotency-Key` has not ended. Send this one again in a moment.',
  },
  event_cancelled: {
    status: 409,
    title: 'The event is cancelled',
    detail:
      'It takes no new RSVPs, items, claims or bookings; clearing, giving back, saving and reading still work.',
  },
  storage_full: {
    status: 409,
    title: 'Your images take all the room there is',
    detail: "A person's images may take up to 1 GiB as they are kept. Delete some of them first.",
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
      'Within a day an `Idempotency-Key` stands for one request: its path and its body. Take a new key.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    detail:
      'A limit on requests, messages or reports in a time, or on streams or uploads at once, is reached. Wait for the ' +
      'number of seconds in `Retry-After`.',
  },
  too_many_uploads: {
    status: 429,
    title: 'Too many images today',
    detail: 'A person may upload 100 images in a day of UTC. `Retry-After` says when the next one begins.',
  },
  too_many_codes: {
    status: 429,
    title: 'Too many codes were sent',
    detail: 'A limit on sending codes is reached. Wait for the number of seconds in `Retry-After`.',
  },
  too_many_tries: {
    status: 429,
    title: 'Too many wrong codes',
    detail: 'Five wrong codes lock the number for this purpose, for up to 15 minutes. See `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    detail: 'Send less than 16 KiB of headers.',
  },
  internal_error: {
    status: 500,
    title: 'Something broke on our side',
    detail: 'It has been logged under the `requestId`. Tell the operator if it persists.',
  },
  unavailable: {
    status: 503,
    title: 'Not available right now',
    detail:
      'The database is away or did not answer in time. Whether a write took place is undecided; read before you retry.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The storage of images is away',
    detail: 'It did not take or give the image. Try again shortly.',
  },
  sms_unavailable: {
    status: 503,
    title: 'The message could not be sent',
    detail: 'The SMS service did not take the message. Try again shortly.',
  },
} as const satisfies Record<string, Entry>;

export type ProblemCode = keyof typeof catalogue;

/** One fault of one field: `path` is the plain name of a parameter, or dotted into the body, as in `location.lat`. */
export type FieldError = { path: string; message: string };

/** Thrown anywhere below a route; `http/problem.ts` makes the answer of it. */
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

/** A 400 for one named field. */
export const invalid = (path: string, message: string): Problem => invalidFields([{ path, message }]);

/** A body of a mebibyte can have a hundred thousand faults; nobody reads more than these. */
const maxFaults = 20;

/** A 400 for several. Their names may come from the sender, so they are cut too. */
export function invalidFields(faults: FieldError[]): Problem {
  const errors = faults
    .slice(0, maxFaults)
    .map(({ path, message }) => ({ path: path.slice(0, 100), message }));
  const detail = `${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}.`;
  return new Problem('invalid_request', { detail, errors });
}
