/** The chapters of the OpenAPI document, which /docs shows before the operations: what the author of a client needs first. */
import { readApiChanges } from './api-changes.ts';

const quickstart = `# Quickstart

The commands need \`curl\` and \`jq\`. Sign in with a phone number or a mail address; this server says which of them it offers in \`signIn\` of \`GET /v1/features\`. A server for development returns the code as \`devCode\`, others send it.

\`\`\`sh
API=BASE/v1
curl -s $API/auth/otp/request --json '{ "phone": "+12025550123" }'
\`\`\`

\`\`\`sh
CODE=123456 # the code of the message
TOKEN=$(curl -s $API/auth/otp/verify --json "{ \\"phone\\": \\"+12025550123\\", \\"code\\": \\"$CODE\\" }" | jq -r .accessToken)
\`\`\`

Create an event, find it in the list, answer it, and claim an item of its bring-list:

\`\`\`sh
EVENT=$(curl -s $API/events -H "Authorization: Bearer $TOKEN" --json '{
  "title": "Garden potluck",
  "startAt": "2030-06-21T18:00:00+02:00",
  "endAt": "2030-06-21T23:00:00+02:00",
  "location": { "address": "Slottsskogen, Gothenburg", "lat": 57.6857, "lng": 11.9434 },
  "category": "food"
}' | jq -r .id)
ITEM=$(curl -s $API/events/$EVENT/items -H "Authorization: Bearer $TOKEN" --json '{
  "title": "Sourdough bread", "kind": "bring", "quantityNeeded": 3
}' | jq -r .id)
curl -s "$API/events?q=garden" | jq -r '.data[].title'
curl -s $API/events/$EVENT/rsvp -H "Authorization: Bearer $TOKEN" --json '{ "status": "going" }' | jq -r .myRsvp
curl -s $API/items/$ITEM/claim -H "Authorization: Bearer $TOKEN" --json '{ "quantity": 2 }' | jq -r .quantity
\`\`\`

An access token is valid for 30 minutes. \`POST /v1/auth/refresh\` exchanges the refresh token for a new pair; a refresh token is valid once.`;

const copies = `# Keep a copy in sync

\`order=updated\` lists all public events by their last change. Follow \`sync.nextCursor\` until it is null, and keep \`syncedAt\` of the last page:

\`\`\`sh
LIST="$API/events?limit=50"
PAGE=$(curl -s "$LIST&order=updated")
while CURSOR=$(jq -re .sync.nextCursor <<< "$PAGE"); do
  PAGE=$(curl -s "$LIST&order=updated&cursor=$CURSOR")
done
SYNCED_AT=$(jq -r .sync.syncedAt <<< "$PAGE")
\`\`\`

Later, ask for what has changed since. \`data\` has added and changed events, and \`sync.tombstones\` those to remove from the copy, with the reason:

\`\`\`sh
curl -s -X DELETE $API/events/$EVENT -H "Authorization: Bearer $TOKEN" > /dev/null
curl -s "$LIST&updatedSince=$SYNCED_AT" | jq -r '.sync.tombstones[].reason'
\`\`\`

Replace events by their \`id\`: the changes of the last seconds are repeated, so that none is missed. Use \`syncedAt\`, not the largest \`updatedAt\` or a time of your own clock. Tombstones are kept for 30 days; an earlier \`updatedSince\` results in a 410, after which a new first copy replaces the old one. Counts such as \`rsvpCount\` change without a change of the event, and an event that ends stays public. Ask without a token for a copy that many people use: with one, events of people whom you block are left out, and after a block or its end you need a new first copy.`;

const conventions = `# Requests and responses

Bodies are JSON in UTF-8, and strict: an unknown field or query parameter results in a 400 that names it, and no value is converted. Times are RFC 3339 with any offset; responses have UTC. Percent-encode addresses. Every response has \`X-Request-Id\`: quote it in questions to the operator.

**Idempotency.** Send a new \`Idempotency-Key\` with each creation. The same request with the same key has no second effect within 24 hours, and gets the first response again, with \`Idempotent-Replayed: true\`. A POST with \`x-repeatable\` in this document, and each PUT and DELETE, may be repeated without one.

**Versions of records.** Responses of single records and lists of public events have an \`ETag\`. \`If-None-Match\` makes a 304 of an unchanged one, and \`If-Match\` a 412 of a change that another change came before.

# Lists

The lists of events (\`/v1/events\`, \`/v1/events/search\`) have numbered pages: \`page\` (from 1) and \`limit\` (1 to 50, default 20), and in the response \`meta\` with \`total\`, \`page\` and \`limit\`. With \`order=updated\`, and in all other lists, pages have cursors: send \`nextCursor\` of a response as \`cursor\` to get the next page, until it is null. A cursor is a position, so a record that is added meanwhile neither repeats nor hides another one. \`/v1/events/{id}/live\` sends the changes of an event as server-sent events, and calendars have the media type \`text/calendar\`.

# Limits

A client network may send a number of requests in each minute, which \`RateLimit-Policy\` has (in production usually 600); \`RateLimit\` has how many are left. A request above a limit results in a 429, and an overloaded server responds with a 503, both with \`Retry-After\` in seconds: wait for so long before you repeat the request, and longer after each further one. A body has at most 1 MiB, an image 10 MiB. The schemas have the limits of each field; lengths of texts are in Unicode characters.

# Errors

Every error is \`application/problem+json\` (RFC 9457). \`code\` is for programs, and [/docs/errors](/docs/errors) explains each; \`detail\` is for people, and its text may change. A 400 has \`errors\`: for each invalid field \`path\`, such as \`location.lat\`, \`message\`, and where a program can use them \`rule\` and \`limit\`. Treat an unknown \`code\` by its status. A 404 also stands for what the caller may not see.

# Versions

The paths begin with \`/v1\`. Within it, nothing that a client uses changes its meaning: later versions add operations, fields, optional parameters, and values of the lists that this document leaves open, such as \`code\`. Ignore fields that you do not know. \`info.version\` is the version of the server.

**Changes of the API since 0.1.0**`;

/** @param baseUrl the address of the server */
export const guide = (baseUrl: string): string =>
  [quickstart.replace('BASE', baseUrl), copies, conventions, readApiChanges().join('\n')].join('\n\n');
