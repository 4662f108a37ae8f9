/** Faults of the command `doctor`, whose output operators show to others. */
import { type Fault, faultsOf } from '../fault.ts';

export const doctorFaults: Fault[] = [
  ...faultsOf('src/cli/doctor/secret-values.ts', [
    ['[password, decode(password)]', '[password]', 'src/cli/doctor/secret-values', 'a password is shown'],
    [
      '.sort((a, b) => b.length - a.length)',
      '.reverse()',
      'src/cli/doctor/secret-values',
      'a part of a key is shown',
    ],
    [
      ".replace(/\\+\\d{5,12}(\\d{3})\\b/g, '…$1')",
      '',
      'src/cli/doctor/secret-values',
      'a phone number is shown',
    ],
  ]),
];
