/** Faults of the bounds on texts of users. */
import { type Fault, faultsOf } from '../fault.ts';

export const textFaults: Fault[] = [
  ...faultsOf('src/lib/user-texts/normalize.ts', [
    [
      "text.replace(markRun, '$1').normalize",
      'text.normalize',
      'src/lib/user-texts/normalize',
      'a run of combining marks blocks the server',
    ],
    [
      '[\\p{M}\\uff9e\\uff9f]{1,30}',
      '[\\p{M}]{1,30}',
      'src/lib/user-texts/normalize',
      'half-width marks make a run',
    ],
  ]),
  ...faultsOf('src/lib/user-texts/parse-address.ts', [
    ['{1,253}', '+', 'src/lib/user-texts/parse-address', 'a host of many letters blocks the server'],
    [
      '|| longLabel.test(host)',
      '',
      'src/lib/user-texts/parse-address',
      'many labels of many letters take long',
    ],
  ]),
  ...faultsOf('src/lib/user-texts/is-longer.ts', [
    [
      'if (text.length <= limit) return false;',
      'return false;',
      'src/http/bounded-texts',
      'texts of a megabyte are searched and parsed',
    ],
  ]),
  ...faultsOf('src/http/bounded-texts.ts', [
    [
      'maxLength === undefined && cxt.fail()',
      'undefined',
      'src/http/bounded-texts',
      'a text of a megabyte passes a format',
    ],
  ]),
  ...faultsOf('src/http/validation.ts', [
    ['boundTexts(ajv);', '', 'item-batches', 'links that are too long are parsed'],
  ]),
  ...faultsOf('src/modules/events/search-words.ts', [
    [
      'kept.map((name) => searchedTexts[name].weight)',
      '[]',
      'search-words',
      'an event loses the words of the texts that stay',
    ],
    [
      "before[name] === after[name] ? 'kept' : 'changed'",
      "'changed'",
      'search-words',
      'a change of the price computes the words of the description',
    ],
    ['position: 16_381', 'position: 1', 'search-words', 'an event of the first release loses words'],
  ]),
  ...faultsOf('web/src/lib/language/compare.ts', [
    [
      "normalize(nameOf(row), 'NFC')",
      'nameOf(row)',
      'web-compare',
      'names of combining marks delay the list of guests',
    ],
  ]),
];
