/** Why an import failed. */
import type { Import } from '@potluck/client';
import { m } from '#lib/messages/index.js';

type Code = NonNullable<Import['problem']>['code'];

const texts: Record<Code, () => string> = {
  file_unreadable: m.import_problem_file,
  payload_too_large: m.import_problem_large,
  date_order: m.import_problem_dates,
  source_unreachable: m.import_problem_unreachable,
  source_unreadable: m.import_problem_unreadable,
};

export const problemOf = (code: Code | undefined): string => (code ? texts[code]() : m.problem_other());
