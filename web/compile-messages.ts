/**
 * Compiles messages/*.json, where a message has its text in each language, to src/lib/messages/. Each message is a
 * module, so the scripts of a page contain only the messages that it uses. The types of messages are in index.d.ts.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { countOf, findDefects, formsOf, inputsOf, type Message, type Messages } from './check-messages.ts';
import { baseLanguage, type Language, languages } from './src/lib/language/languages.ts';

const functions = path.join(import.meta.dirname, 'src', 'lib', 'language', 'message.ts');
export const messageSources = path.join(import.meta.dirname, 'messages');
export const compiledMessages = path.join(import.meta.dirname, 'src', 'lib', 'messages');

/** @throws with all defects of the messages; compiled messages of before stay */
export async function compileMessages(sources = messageSources, output = compiledMessages): Promise<void> {
  const messages = await readMessages(sources);
  const defects = findDefects(messages);
  if (defects.length > 0) throw new Error(`Messages with defects:\n${defects.join('\n')}`);
  await rm(output, { recursive: true, force: true });
  await mkdir(path.join(output, 'each'), { recursive: true });
  const names = Object.keys(messages[baseLanguage]);
  const reexports = names.map((name) => `export * from './each/${name}.js';\n`);
  const files = {
    'index.js': "export * as m from './all.js';\n",
    'index.d.ts': `export declare const m: {\n${Object.entries(messages[baseLanguage]).map(declare).join('')}};\n`,
    'all.js': reexports.join(''),
    ...Object.fromEntries(names.map((name) => [`each/${name}.js`, moduleOf(name, messages, output)])),
  };
  await Promise.all(Object.entries(files).map(([file, text]) => writeFile(path.join(output, file), text)));
}

/** The messages of all files, by language. */
async function readMessages(sources: string): Promise<Record<Language, Messages>> {
  const found: Record<string, Record<string, Message>> = {};
  for (const file of (await readdir(sources)).sort()) {
    const added: typeof found = JSON.parse(await readFile(path.join(sources, file), 'utf8'));
    const twice = Object.keys(added).filter((name) => Object.hasOwn(found, name));
    if (twice.length > 0)
      throw new Error(`${path.join(sources, file)}: also in another file: ${twice.join(', ')}`);
    Object.assign(found, added);
  }
  const textsIn = (language: Language) =>
    Object.fromEntries(Object.entries(found).map(([name, texts]) => [name, texts[language]]));
  return Object.fromEntries(languages.map((language) => [language, textsIn(language)] as unknown[]));
}

function moduleOf(name: string, messages: Record<Language, Messages>, output: string): string {
  const texts = languages.map((language) => {
    const message = messages[language][name] ?? '';
    return [language, typeof message === 'string' ? message : formsOf(message)];
  });
  const count = countOf(messages[baseLanguage][name] ?? '');
  const call = count === undefined ? 'message(' : `plural('${count}', `;
  const from = path.relative(path.join(output, 'each'), functions).replaceAll(path.sep, '/');
  return [
    `import { ${count === undefined ? 'message' : 'plural'} } from '${from}';`,
    `const text = /* @__PURE__ */ ${call}${JSON.stringify(Object.fromEntries(texts))});`,
    `export { text as ${name} };\n`,
  ].join('\n');
}

/** The type of a message, with its text in the base language. */
function declare([name, message]: [string, Message]): string {
  const inputs = inputsOf(message).map((input) =>
    input === countOf(message) ? `${input}: number` : `${input}: string | number`,
  );
  const text = (Object.values(formsOf(message)).at(-1) ?? '').replaceAll('*/', '* /');
  return `  /** ${text} */\n  ${name}: (${inputs.length > 0 ? `inputs: { ${inputs.join('; ')} }` : ''}) => string;\n`;
}

if (import.meta.main) await compileMessages();
