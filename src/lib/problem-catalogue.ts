/**
 * The catalogue of problems: the only definition of the status, the title and the default explanation of each problem
 * code. Codes are part of the API: the meaning of a released code never changes. /docs/errors lists all of them.
 */

/** By status: the title and the explanation of each code. */
const byStatus = {
  400: {
    invalid_request: [
      'The request is not valid',
      'A field, parameter or header is missing, unknown, of the wrong type or out of range; `errors` names each.',
    ],
    malformed_json: [
      'The body is not JSON',
      'The body could not be parsed. Send one JSON object, encoded as UTF-8.',
    ],
    self_relation: [
      'The person is the caller',
      'The caller cannot follow, block, write to, report or invite themselves.',
    ],
    image_invalid: [
      'The image cannot be used',
      'The image must be a complete JPEG, PNG or WebP file with at most 50 megapixels, 150 MB of decoded pixels and ' +
        '100 frames. Its first bytes determine the format.',
    ],
    oidc_cancelled: [
      'The sign-in was cancelled',
      'The person, or a rule of the OpenID Connect provider, did not permit the sign-in.',
    ],
    oidc_expired: [
      'This sign-in has expired',
      'A sign-in at the OpenID Connect provider is valid once, in the browser in which it began, and for ten minutes.',
    ],
    oidc_invalid: [
      'The provider responded with something else',
      'The response of the OpenID Connect provider does not prove who signed in: its signature, issuer, audience, nonce or time ' +
        'is not valid, or it reports an error. The server has logged the reason.',
    ],
    wrong_code: [
      'The code is wrong or has expired',
      'Only the newest code is valid, for five minutes and for one use. Request a new code.',
    ],
  },
  401: {
    token_missing: [
      'Sign in first',
      'Send `Authorization: Bearer <access token>`, or sign in with a browser session.',
    ],
    token_invalid: [
      'The access token is not valid',
      'The access token, or the cookie of the browser session, is malformed, expired or revoked. Refresh it, or ' +
        'sign in again.',
    ],
    refresh_token_invalid: [
      'The refresh token is not valid',
      'It is malformed, expired, revoked or was used before. Sign in again.',
    ],
  },
  403: {
    not_organizer: [
      'Only the organizer may do this',
      "The caller is neither the event's organizer nor an admin.",
    ],
    not_owner: [
      'Only its owner may do this',
      'The caller did not upload the image, make the invitation or write the comment, and is neither its organizer nor an admin.',
    ],
    not_invited: [
      'This invitation is for somebody else',
      'The account has not confirmed the contact of the invitation, or was not invited by its id.',
    ],
    removed_from_event: [
      'You were removed from this event',
      'The organizer removed this person. New answers, seats, claims and comments need a new invitation.',
    ],
    not_added: [
      'The organizer did not add this guest',
      'Organizers change the answers, and make claims, of guests whom they have added. Others answer themselves.',
    ],
    rsvp_required: [
      'An RSVP is required',
      'Claiming requires an RSVP of `going` for the event of the item; so do seats where `rsvpApproval` is `organizer`.',
    ],
    claims_disabled: ['Claiming is switched off', 'The operator of this server has switched claiming off.'],
    feature_disabled: [
      'This feature is switched off',
      'The operator of this server has switched this feature off.',
    ],
    push_unavailable: [
      'Web push is not available',
      'This server is not reached over https, which web push requires. Its operator can change PUBLIC_URL.',
    ],
    guest_session: [
      'A guest token is for its event alone',
      'The token is that of a guest without an account. It is valid for some operations of its event alone.',
    ],
    module_disabled: [
      'This part of the event is switched off',
      "The event's `enabledModules` do not include the module of this operation.",
    ],
    not_admin: ['Only admins may do this', 'The caller is not an admin of this server.'],
    account_suspended: [
      'This account is suspended',
      'An admin of this server has suspended the account. Until it is restored, it may only export its data, ' +
        'delete itself and log out.',
    ],
    sign_in_again: [
      'Sign in again first',
      'This requires a session that began in the last ten minutes. Sign in again, then repeat the request.',
    ],
    confirmation_required: [
      'A code must confirm this',
      'The session began more than ten minutes ago. Request a code with `POST /v1/me/contact-code` and repeat the request with it as ' +
        '`confirmCode`, or sign in again: for ten minutes, a new session needs no code.',
    ],
    contact_too_new: [
      'No contact of the account is old enough',
      'No contact confirms the deletion that has belonged to the account for a day. Repeat the request a day after the last ' +
        'contact was added.',
    ],
    cross_site_request: [
      'The request came from another site',
      'A cookie authenticates a request that changes something only if a page of this server sent it. The server ' +
        'accepts `Sec-Fetch-Site: same-origin` or, without that header, an `Origin` that equals the origin of the ' +
        "server's address.",
    ],
    profile_private: [
      'This profile is private',
      'Only its owner, admins and the people whom the owner follows can see it.',
    ],
    guest_list_private: [
      'This guest list is private',
      'The organizer and admins can see it. `guestListVisibility` of the event says whether its guests can too; ' +
        'guests are people with an RSVP, a booking, a place in the waitlist or a claim.',
    ],
    comments_private: [
      'These comments are private',
      'The organizer, admins, invited people and guests of the event can read and write them, unless `commentVisibility` of the ' +
        'event is `everyone`.',
    ],
    blocked: [
      'One of you has blocked the other',
      'While one person blocks another, neither can follow or write to the other.',
    ],
  },
  404: {
    route_not_found: ['There is nothing here', 'No operation has this path. /docs lists all operations.'],
    event_not_found: ['No such event', 'The event does not exist, or the caller may not see it.'],
    series_not_found: [
      'No such series',
      'The series does not exist, or the caller may see none of its occurrences.',
    ],
    import_not_found: [
      'No such import',
      'The caller has no import with this id. Imports are kept for 7 days.',
    ],
    source_not_found: ['No such source', 'The caller follows no calendar with this id.'],
    entry_not_found: ['No such entry', 'The import has no entry with this number.'],
    invitation_not_found: [
      'No such invitation',
      'The invitation does not exist, was withdrawn or has expired, or the caller may not see its event.',
    ],
    user_not_found: ['No such person', 'No account has this id.'],
    item_not_found: ['No such item', 'The item does not exist, or the caller may not see its event.'],
    comment_not_found: ['No such comment', 'The comment does not exist, or the caller may not see it.'],
    calendar_not_found: [
      'No such calendar',
      'The URL is unknown or was revoked. The owner of the calendar can create a new URL.',
    ],
    announcement_not_found: [
      'No such announcement',
      'The announcement does not exist, or the caller may not read it.',
    ],
    claim_not_found: ['Nothing is claimed', 'The caller has no claim on this item.'],
    subject_not_found: [
      'Nothing to report',
      'The reported event, item, comment, message or person does not exist, or the caller may not see it.',
    ],
    report_not_found: ['No such report', 'No report has this id.'],
    setup_closed: [
      'This address is not valid',
      'The server has an admin already, or the token is not the one that it printed at its start.',
    ],
    flag_not_found: ['No such flag', 'GET /v1/admin/flags lists all flags.'],
    booking_not_found: [
      'Nothing is booked',
      'The caller has no booking for this event and is not on its waitlist.',
    ],
    guest_not_found: [
      'No such guest',
      'The token is not that of a guest of this event, the event has no such guest, or the guest has taken part already.',
    ],
    request_not_found: [
      'No such request',
      'The person has not asked to join the event, or has withdrawn the request.',
    ],
    session_not_found: ['No such session', 'The caller has no session with this id.'],
    notification_not_found: [
      'No such notification',
      'The caller has no notification with this id, or a newer one has replaced it.',
    ],
    push_subscription_not_found: [
      'No such subscription',
      'The caller has no subscription with this id. It ends with its session, and when the browser ends it.',
    ],
    upload_not_found: ['No such image', 'The image was not uploaded, or was deleted.'],
  },
  405: {
    method_not_allowed: [
      'This method is not allowed here',
      'The path does not support this method; the `Allow` header lists the supported methods.',
    ],
  },
  408: {
    request_timeout: [
      'The request took too long to arrive',
      'Headers must arrive within 5 seconds, an image within 60.',
    ],
  },
  409: {
    already_claimed: [
      'Already claimed',
      'The caller has a claim on this item. Change its quantity with `PATCH`.',
    ],
    quantity_below_claimed: [
      'More than that is claimed',
      '`quantityNeeded` cannot be lower than the quantity already claimed.',
    ],
    already_booked: [
      'Already booked',
      'The caller has a booking for this event, or is on its waitlist. Change its seats with `PATCH`.',
    ],
    no_seats: [
      'Not that many seats are free',
      'The seats are booked or reserved for the waitlist. Join the waitlist with `waitlist: true`.',
    ],
    event_hidden: [
      'The event is hidden',
      'An event that an admin hides cannot be copied, and nothing can be sent to its guests.',
    ],
    capacity_below_booked: [
      'More seats than that are booked',
      '`capacity` cannot be lower than the number of seats already booked.',
    ],
    already_reported: ['Already reported', 'The caller has an earlier report of this subject.'],
    is_admin: ['That person is an admin', 'Admins cannot be suspended. Revoke their role first.'],
    last_admin: ['That person is the last admin', 'Give another person the role first.'],
    username_taken: ['This username is taken', 'Choose another one.'],
    contact_taken: [
      'Another account has this contact',
      'The code is right, but another account signs in with this phone number, mail address or identity. Accounts are not merged. Sign in ' +
        'to the other account and remove the contact there, or delete that account, and then add the contact here.',
    ],
    setting_refused: [
      'The setting cannot have this value',
      'The operator has set it in the environment, no such way to sign in is configured, or the caller could not sign in any ' +
        'more; `errors` names the field.',
    ],
    last_sign_in: [
      'This is the only way to sign in',
      'Without it, nobody could sign in to the account any more. Add another phone number, mail address or identity first.',
    ],
    idempotency_key_in_use: [
      'This key is in use at this moment',
      'A request with the same `Idempotency-Key` has not ended. Retry this request later.',
    ],
    event_cancelled: [
      'The event is cancelled',
      'A cancelled event accepts no new RSVPs, items, claims or bookings. They can still be removed; saving and ' +
        'reading still work.',
    ],
    already_series: [
      'The event is part of a series',
      'An event belongs to one series; `PATCH /v1/series/:id` changes its rule.',
    ],
    import_published: [
      'The import is published',
      'It is published once, and its entries do not change afterwards. An import that failed, or is still read, cannot be published either.',
    ],
    imports_full: ['Too many open imports', 'A person can have 20 imports that are not done.'],
    sources_full: ['Too many sources', 'A person can follow 20 calendars.'],
    question_open: [
      'A question is open',
      'Answer the `questions` of the import first, with `PATCH /v1/imports/:id`.',
    ],
    series_full: ['Too many series', 'A person can have 50 series that have not ended.'],
    rsvp_closed: [
      'The deadline has passed',
      '`rsvpUntil` of the event has passed: there are no new RSVPs and seats, and no more of them. Fewer are possible.',
    ],
    approval_required: [
      'The organizer approves guests',
      'Repeat the request with `ask: true` to ask the organizer; `message` can say who you are.',
    ],
    request_refused: [
      'The organizer refused the request',
      'A new request is possible 24 hours after the refusal.',
    ],
    event_over: [
      'The event is over',
      'Guests without an account and people with a link answer, and people are invited, until the event ends.',
    ],
    invitation_used: ['The invitation is used', 'An account has answered by this invitation.'],
    link_used_up: ['The link is used up', 'As many people have answered by this link as it is for.'],
    account_exists: [
      'This contact belongs to an account',
      'Sign in to the account of `user`, or repeat the request with `asAccount: true` to answer for it; the code stays valid.',
    ],
    guest_claims_full: [
      'That many items are claimed already',
      'A guest without an account can have claims on up to 10 items.',
    ],
    guest_list_full: [
      'The organizer has added that many guests already',
      'The organizer of an event can add up to 500 guests.',
    ],
    is_organizer: ['The person organizes the event', 'The organizer of an event cannot be removed from it.'],
    comments_full: [
      'There are too many comments',
      'An event may have up to 5,000 comments. Guests without an account write none once it has 4,000.',
    ],
    invitations_full: [
      'The event has too many invitations',
      'An event may have up to 2,000 invitations. Withdraw some first.',
    ],
    not_failed: [
      'The invitation has not failed',
      'Only the contact of an invitation that failed can be changed, and only such an invitation is sent again.',
    ],
    already_invited: ['The contact is invited already', 'Another invitation to the event has this contact.'],
    item_list_full: [
      'The item list of this event is full',
      'An event may have up to 500 items, with up to 1 MiB of text in total. Remove items or shorten their texts first.',
    ],
    storage_full: [
      'The storage for your images is full',
      "A person's images may use up to 1 GiB of storage. Delete some of them first.",
    ],
  },
  410: {
    updated_since_too_old: [
      'Too long ago',
      'Tombstones of events are kept for 30 days. Get all events again, without `updatedSince`, and replace the copy.',
    ],
  },
  412: {
    precondition_failed: [
      'Changed meanwhile',
      'The record has changed since the client read the version in `If-Match`. Read it again, then decide what to ' +
        'change.',
    ],
  },
  413: {
    payload_too_large: ['The body is too large', 'A body may have up to 1 MiB, an image up to 10 MiB.'],
  },
  415: {
    unsupported_media_type: [
      'This media type is not supported',
      'Send `Content-Type: application/json`; for an image its type, or `application/octet-stream`.',
    ],
    unsupported_content_encoding: [
      'This content encoding is not supported',
      'Send the body without compression: leave `Content-Encoding` out, or send `identity`.',
    ],
  },
  422: {
    quantity_unavailable: ['Not that many are left', 'The quantity is above what is left of the item.'],
    idempotency_key_reused: [
      'This key was used for another request',
      'Within 24 hours an `Idempotency-Key` identifies one request: its method, path and body. Use a new key.',
    ],
  },
  429: {
    too_many_requests: [
      'Too many requests',
      'A limit on the rate of requests, messages or reports, or on the number of open streams, uploads or unread ' +
        'responses, is reached. Wait for the number of seconds in `Retry-After`.',
    ],
    too_many_uploads: [
      'Too many images today',
      'A person may upload 100 images per day (UTC). `Retry-After` has the number of seconds until the next day.',
    ],
    quota_exceeded: [
      'Too many created today',
      'The operator limits how many events and items a person may create per day (UTC), and how many people a ' +
        'person may follow. `Retry-After` has the number of seconds until the next day.',
    ],
    too_many_codes: [
      'Too many codes were sent',
      'A limit on sending codes is reached. Wait for the number of seconds in `Retry-After`, or use the newest ' +
        'code that the phone has received: it may still be valid.',
    ],
    too_many_tries: [
      'Too many wrong codes',
      'Five wrong codes lock the number for a client network or device and a purpose, for up to 15 minutes; 100 ' +
        'lock it for up to a day. Wait for the number of seconds in `Retry-After`.',
    ],
  },
  431: {
    headers_too_large: ['The headers are too large', 'Send less than 16 KiB of headers.'],
  },
  500: {
    internal_error: [
      'Unexpected error',
      'The server has logged the error with the `requestId`. Tell the operator if it persists.',
    ],
  },
  503: {
    unavailable: [
      'Not available right now',
      'The server is overloaded, or its database is not available or did not respond in time. A write may have ' +
        'taken effect; read before you retry.',
    ],
    storage_unavailable: [
      'The image storage is not available',
      'The image could not be stored or read. Try again later.',
    ],
    source_busy: [
      'The address is busy',
      'This server fetches calendars of one host at most 60 times an hour. Try again after `Retry-After`.',
    ],
    sms_unavailable: [
      'The message could not be sent',
      'The SMS service did not accept the message. Try again later.',
    ],
    oidc_unavailable: [
      'The provider is not available',
      'The OpenID Connect provider cannot be reached, did not respond in time, or refused this server. Try again later, or sign in ' +
        'another way.',
    ],
    mail_unavailable: [
      'The mail could not be sent',
      'The mail server did not accept the mail. Try again later.',
    ],
  },
} as const satisfies Record<number, Record<string, readonly [title: string, detail: string]>>;

type ByStatus = typeof byStatus;
export type ProblemCode = { [S in keyof ByStatus]: keyof ByStatus[S] }[keyof ByStatus];
export type ProblemDefinition = { status: number; title: string; detail: string };

/** The problems by code, in the order of their statuses. */
export const catalogue = Object.fromEntries(
  Object.entries(byStatus).flatMap(([status, problems]) =>
    Object.entries(problems).map(([code, [title, detail]]) => [
      code,
      { status: Number(status), title, detail },
    ]),
  ),
) as Record<ProblemCode, ProblemDefinition>;
