/** The sections of docs/operating.md that say what to do about an alert. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

/** @param runbook the annotation of an alert, such as `docs/operating.md#potluckdown` */
function readSection(runbook: string): string {
  const [file = '', anchor = ''] = runbook.split('#');
  const chapters = readFileSync(path.join(root, file), 'utf8').split(/^#+ /m);
  const section = chapters.find((chapter) => chapter.split('\n', 1)[0]?.toLowerCase() === anchor);
  if (!section) throw new Error(`${file} has no section ${anchor}`);
  return section;
}

/** What the section says to run, to open or to look for in the log: its code, without names of one word. */
export const instructionsOf = (runbook: string): string[] =>
  Array.from(readSection(runbook).matchAll(/`([^`]+)`/g), ([, code = '']) => code).filter((code) =>
    /[ (/]/.test(code),
  );
