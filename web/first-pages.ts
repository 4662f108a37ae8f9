/**
 * The modules of the pages that visitors see first: the front page, and that of an event, to which invitations lead. The bundler
 * makes a file of each module that other pages share with them, and on a slow network dozens of files take longer than their bytes.
 */
import path from 'node:path';
import type { Plugin } from 'vite';

const messages = path.join(import.meta.dirname, 'src', 'lib', 'messages');
const allMessages = /\/src\/lib\/messages\/(?:index|all)\.js$/;
const frontPage = /\/src\/routes\/\+page\.svelte$/;
const eventPage = /\/src\/routes\/e\/\[id\]\/\+page\.svelte$/;

type Test = (module: string) => boolean;
/** Which of the two pages import a module. Known when all modules are loaded. */
export type FirstPages = { plugin: Plugin; isOfBoth: Test; isOfEvent: Test; isOfFront: Test };

export function findFirstPages(): FirstPages {
  let front = new Set<string>();
  let event = new Set<string>();
  return {
    plugin: {
      name: 'first-pages',
      buildEnd() {
        const ids = [...this.getModuleIds()];
        const importsOf = (id: string) => {
          const { importedIds = [], code } = this.getModuleInfo(id) ?? {};
          return allMessages.test(id) ? [] : [...importedIds, ...messagesIn(code ?? '')];
        };
        front = reachable(
          ids.filter((id) => frontPage.test(id)),
          importsOf,
        );
        event = reachable(
          ids.filter((id) => eventPage.test(id)),
          importsOf,
        );
      },
    },
    isOfBoth: (module) => front.has(module) && event.has(module),
    isOfEvent: (module) => event.has(module),
    isOfFront: (module) => front.has(module),
  };
}

/** The texts of a module, each of which is a module: by its imports, it has those of all pages. */
const messagesIn = (code: string): string[] =>
  Array.from(code.matchAll(/\bm\.(\w+)/g), ([, name]) => path.join(messages, 'each', `${name}.js`));

function reachable(from: string[], importsOf: (id: string) => readonly string[]): Set<string> {
  const found = new Set(from);
  for (const id of found) for (const imported of importsOf(id)) found.add(imported);
  return found;
}
