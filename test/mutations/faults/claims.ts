/** Faults of items and claims. */
import { type Fault, faultsOf } from '../fault.ts';

export const claimFaults: Fault[] = [
  ...faultsOf('src/modules/items/policy.ts', [
    ['requireOrganizer(state, viewer);', '', 'items', 'a stranger deletes items'],
    ['if (disabled) {', 'if (false) {', 'items', 'items of a kind that is switched off'],
    [
      "if (status === 'cancelled') throw new Problem('event_cancelled');",
      '',
      'items',
      'items on a cancelled event',
    ],
    ['isVisible(item, viewer, claimant.standing)', 'true', 'claims', 'a claim on a private event'],
    [
      "if (!claimsEnabled) return new Problem('claims_disabled');",
      '',
      'claims',
      'the flag does not stop claims',
    ],
    [
      "if (!item.enabledModules.includes(moduleOf[item.kind])) return new Problem('module_disabled');",
      '',
      'claims',
      'claims with the module switched off',
    ],
    ["if (claimant.rsvp !== 'going')", 'if (false)', 'claims', 'a person who does not come claims'],
    ["if (item.status === 'cancelled')", 'if (false)', 'claims', 'claims on a cancelled event'],
    ["if (command.kind === 'add' && claim)", 'if (false)', 'claims', 'two claims of a person on an item'],
    ['if (wanted > max)', 'if (wanted > max + 1)', 'claims', 'one more than is left'],
    [
      '(command.change.quantity ?? 0) <= claim.quantity',
      'true',
      'claim-changes',
      'a claim grows without a check',
    ],
    ['!command.change.note && ', '', 'claim-notes', 'a note of a person who no longer comes'],
  ]),
  ...faultsOf('src/modules/items/claims/repo.ts', [
    ['for update of s`,', '`,', 'claim-races', 'the lock of the stock'],
    ['claimed = s.claimed + k.by,', 'claimed = s.claimed + abs(k.by),', 'claims', 'drifting counter'],
    ['claims_version = s.claims_version + 1, ', '', 'live', 'a note that pages do not hear of'],
    [', note = k.note`', '`', 'claim-notes', 'a changed note is lost'],
  ]),
  ...faultsOf('src/idempotency/batch-writer.ts', [
    ['if (!role) return', 'if (false) return', 'author-locks', 'a claim of an ended session'],
    ['if (response) return response;', '', 'idempotency', 'a repeated request claims again'],
  ]),
  ...faultsOf('src/modules/items/repo.ts', [
    ['if (needed < before.claimed)', 'if (false)', 'item-changes', 'needed falls below the claimed quantity'],
    [
      'for no key update of i for update of s`',
      'for no key update of i`',
      'item-change-races',
      'a claim between check and write of the quantity needed',
    ],
    [
      'return state && isVisible(state, viewer, state) ? state : null;',
      'return state ?? null;',
      'items',
      'private items',
    ],
    [
      'if (changesTexts) await lockItemList(tx, eventId);',
      '',
      'item-limits',
      'two changes at once make the list too large',
    ],
  ]),
  ...faultsOf('src/modules/items/item-limits.ts', [
    ['size.items + added.items > maxItems', 'size.items > maxItems', 'item-limits', 'the number of items'],
    [
      'size.bytes + added.bytes > maxTextBytes',
      'size.bytes > maxTextBytes',
      'item-limits',
      'the size of texts',
    ],
  ]),
  ...faultsOf('web/src/lib/event/bring/bring-list.ts', [
    [
      'leftOf(item) === 0 && !item.myClaim',
      'leftOf(item) === 0',
      'web-bring-list',
      'a row moves away from the finger that claimed it',
    ],
    [
      'if (row && !all.has(row.id)) all.set(row.id, row);',
      '',
      'web-bring-list',
      'a lost race that the page cannot explain',
    ],
  ]),
];
