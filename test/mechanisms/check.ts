/**
 * Fails if a file does by hand what one function does for all of them. No test would fail: a statement that forgets a helper of
 * packages/pg/ returns the same rows on one PostgreSQL, and a text without a bound takes long only if an attacker writes it.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listFiles } from '../../client/build.ts';

/** `except`: files or folders, and why each is no fault. */
type Rule = { pattern: RegExp; instead: string; except: Record<string, string> };

const root = path.join(import.meta.dirname, '..', '..');

/** For files of src/, which use packages/pg/. */
const statementRules: Rule[] = [
  {
    pattern: /citus|isDistributed|\b(?:formOf|hasForms)\b|\.render\(/i,
    instead:
      'only packages/pg/ and src/schema/ know that a database can be distributed; use a helper of packages/pg/rows.ts or locks.ts',
    except: {
      'src/cli/distribute.ts': 'the command',
      'src/cli/doctor/cluster.ts': 'findings about the cluster',
      'src/main.ts': 'its help',
    },
  },
  {
    pattern: /\bunnest\(/,
    instead: 'use rowsOf, updateRows, deleteRows, insertRows or queryEach of packages/pg/rows.ts',
    except: {
      'packages/fresh-records/record-change.ts': 'a table of the coordinator',
      'src/cli/backup/': 'an array of a row',
      'src/http/rate-limit.ts': 'a table of the coordinator',
      'src/modules/accounts/codes/repo.ts': 'a table of the coordinator',
      'src/idempotency/stored-responses.ts': 'locks without a table',
      'src/modules/discovery/memory/index-rows.ts': 'events by their place, on all nodes',
      'src/modules/discovery/suggest/': 'the words of a row',
      'src/modules/items/repo.ts': 'an insertion for one event',
      'src/modules/live/repo.ts': 'an outer join with rows that have a condition of their own',
      'src/modules/notifications/': 'insertions',
      'src/outbox/': 'insertions, and a join with rows that have a condition of their own',
    },
  },
  {
    pattern: /\bversion = .*\bversion \+ 1|\bupdate (?:users|sessions|events|event_counters|change_shards)\b/,
    instead: '`update` and `updateRows` of packages/pg/rows.ts raise the version of the rows',
    except: {
      'src/modules/events/unseen-moves.ts': 'a version would tell others of a move that they must not notice',
      'src/modules/items/repo.ts': '`last_item` is no part of a record',
      'src/cli/demo/': 'no server has read the rows',
      'src/cli/backup/': 'no server has read the rows',
    },
  },
];

/** For the server and the pages. */
const textRules: Rule[] = [
  {
    pattern: /(?<!\.\.)\.normalize\b/,
    instead: 'src/lib/user-texts/normalize.ts takes linear time for any text',
    except: { 'src/lib/user-texts/normalize.ts': 'the function' },
  },
  {
    pattern: /\.localeCompare\b|\bIntl\.Collator\b/,
    instead: 'sortedByName of web/src/lib/language/compare.ts normalizes the names first',
    except: {
      'web/src/lib/language/compare.ts': 'the function',
      'web/src/lib/discovery/server/what-or-where.ts': 'one name of 200 characters, normalized',
      'web/src/routes/messages/': 'times',
    },
  },
  {
    // A path in quotes, a file beside the source and PUBLIC_URL are no texts of users.
    pattern: /\bnew URL\((?!['"`][/.]|publicUrl\b)|\bURL\.(?:parse|canParse)\b/,
    instead:
      'parseAddress of src/lib/user-texts/ parses addresses of users, and parsePath of web/src/lib/server/ paths',
    except: {
      'src/lib/user-texts/parse-address.ts': 'the function',
      'web/src/lib/server/local-path.ts': 'the function',
      // What the operator has configured.
      'src/cli/': 'configuration',
      'packages/pg/target.ts': 'configuration',
      'src/config/': 'configuration',
      'packages/base/database-url.ts': 'configuration',
      'packages/base/loopback.ts': 'configuration',
      'src/modules/accounts/oidc/': 'configuration, and claims of the provider',
      'src/modules/places/streets/config.ts': 'configuration',
      'src/modules/accounts/sms/': 'configuration',
      'src/server/base-services.ts': 'configuration',
      'web/src/hooks.server.ts': 'configuration',
      'web/src/lib/map/open-map.ts': 'configuration',
      // What the server or a browser has parsed or written.
      'src/modules/notifications/push/post-push.ts': 'an endpoint that was parsed before it was stored',
      'src/modules/notifications/push/send-pushes.ts': 'an endpoint that was parsed before it was stored',
      'src/server/web/anonymous-pages.ts': 'a path of the cache',
      'src/server/web/api-calls.ts': 'the address of a Request',
      'packages/telemetry/request-span.ts': 'the address of a request to another server',
      'web/src/lib/components/PageLinks.svelte': 'the address of the page',
      'web/src/lib/components/Pager.svelte': 'the address of the page',
      'web/src/lib/account/components/SignInForm.svelte': 'redirections of this server',
      'web/src/lib/event/components/EventPoster.svelte': 'the address of an event',
      'web/src/lib/event/imports/components/FollowedCalendar.svelte': 'an address that the server has parsed',
      'web/src/lib/event/metadata.ts': 'the path of a cover of this server',
      'web/src/lib/forms/': 'redirections of this server',
      'web/src/lib/offline/': 'addresses of requests',
      'web/src/routes/e/[id]/preview.png/': 'the path of an upload to this server',
      'web/src/routes/e/[id]/share/': 'the address of an event',
      'web/src/service-worker/': 'addresses of requests',
    },
  },
];

/** For the pages. */
const fieldRules: Rule[] = [
  {
    pattern: /\.formData\(|\bsearchParams(?!\.(?:set|delete|has)\b)/,
    instead:
      'readForm and readQuery of web/src/lib/server/read-fields.ts bound the fields of forms and addresses',
    except: {
      'web/src/lib/server/read-fields.ts': 'the reader',
      'web/src/lib/session/current-path.ts': 'copies a query',
      'web/src/lib/offline/retrying-fetch.ts': 'copies a query in a browser',
    },
  },
  {
    pattern: /<textarea\b(?!.*\breadonly\b)(?:.*>\{|(?!.*\binHtml\().*\bdefaultValue=)/,
    instead:
      '`defaultValue={text} value={inHtml(text)}`: a child replaces what is typed before the scripts run, and `defaultValue` alone is empty without scripts',
    except: {},
  },
];

const isGenerated = /\/(?:generated|messages)\/|\.d\.ts$/;
const sources = (
  await Promise.all(['packages', 'src', 'web/src'].map((folder) => listFiles(path.join(root, folder))))
)
  .flat()
  .map((file) => path.relative(root, file))
  .filter((file) => /(?<!\.test)\.(?:ts|svelte)$/.test(file) && !isGenerated.test(file));

function rulesFor(file: string): Rule[] {
  if (file.startsWith('web/')) return [...fieldRules, ...textRules];
  return /^(packages|src\/schema)\//.test(file) ? textRules : [...statementRules, ...textRules];
}

const faults = sources.map(async (file) => {
  const lines = (await readFile(path.join(root, file), 'utf8')).split('\n');
  return rulesFor(file)
    .filter(({ except }) => !Object.keys(except).some((allowed) => file.startsWith(allowed)))
    .flatMap(({ pattern, instead }) =>
      lines.flatMap((line, i) =>
        pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}\n  ${instead}`] : [],
      ),
    );
});
const found = (await Promise.all(faults)).flat();
for (const fault of found) console.error(fault);
if (found.length > 0) process.exitCode = 1;
