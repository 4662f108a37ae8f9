/**
 * Fails if a file does by hand what a helper does for all. A statement of src/ that forgets a mechanism of src/db/ returns the
 * same rows on one PostgreSQL, and a page that reads a field by itself works with every text of a test: no test would fail.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listFiles } from '../../client/build.ts';

/** `in`: the folder that the rule is about. `except`: files or folders, and why each is no fault. */
type Rule = { in: string; pattern: RegExp; instead: string; except: Record<string, string> };

const root = path.join(import.meta.dirname, '..', '..');

const rules: Rule[] = [
  {
    in: 'src/',
    pattern: /citus|isDistributed|\b(?:formOf|hasForms|distributionColumnOf)\b|\.render\(/i,
    instead:
      'only src/db/ knows that a database can be distributed; use a helper of src/db/rows.ts or locks.ts',
    except: {
      'src/cli/distribute.ts': 'the command',
      'src/cli/doctor/cluster.ts': 'findings about the cluster',
      'src/main.ts': 'its help',
    },
  },
  {
    in: 'src/',
    pattern: /\bunnest\(/,
    instead: 'use rowsOf, updateRows, deleteRows, insertRows or queryEach of src/db/rows.ts',
    except: {
      'src/cache/change-log.ts': 'a table of the coordinator',
      'src/cli/backup/': 'an array of a row',
      'src/http/limits/rate-limit-store.ts': 'a table of the coordinator',
      'src/modules/auth/codes-repo.ts': 'a table of the coordinator',
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
    in: 'src/',
    pattern: /\bversion = .*\bversion \+ 1|\bupdate (?:users|sessions|events|event_counters|change_shards)\b/,
    instead: '`update` and `updateRows` of src/db/rows.ts raise the version of the rows',
    except: {
      'src/modules/items/repo.ts': '`last_item` is no part of a record',
      'src/cli/demo/': 'no server has read the rows',
      'src/cli/backup/': 'no server has read the rows',
    },
  },
  {
    in: 'web/src/',
    pattern: /\.formData\(|\bsearchParams(?!\.(?:set|delete|has)\b)/,
    instead:
      'readForm and readQuery of web/src/lib/server/read-fields.ts bound the fields of forms and addresses',
    except: {
      'web/src/lib/server/read-fields.ts': 'the reader',
      'web/src/lib/session/current-path.ts': 'copies a query',
      'web/src/lib/offline/retrying-fetch.ts': 'copies a query in a browser',
    },
  },
];

const files = (await Promise.all(['src', 'web/src'].map((folder) => listFiles(path.join(root, folder)))))
  .flat()
  .map((file) => path.relative(root, file))
  .filter((file) => /(?<!\.test)\.(?:ts|svelte)$/.test(file) && !file.startsWith('src/db/'));
const faults = files.map(async (file) => {
  const lines = (await readFile(path.join(root, file), 'utf8')).split('\n');
  return rules
    .filter((rule) => file.startsWith(rule.in))
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
