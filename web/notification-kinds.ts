/**
 * Writes the icons and the texts of the kinds of notifications that the server declares. The names of the messages follow
 * from the kind, so a kind without an icon or a text does not compile.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { adminKinds, countedKinds, kinds, notificationKinds } from '../src/outbox/kinds.ts';

const output = path.join(import.meta.dirname, 'src', 'lib', 'generated', 'notification-kinds.ts');

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A record with a value for each kind. */
const record = (name: string, type: string, value: (kind: (typeof notificationKinds)[number]) => string) =>
  `export const ${name}: Record<Kind, ${type}> = {\n` +
  `${notificationKinds.map((kind) => `  ${kind}: ${value(kind)},\n`).join('')}};\n`;

export async function writeNotificationKinds(): Promise<void> {
  const icons = [...new Set(notificationKinds.map((kind) => kinds[kind].icon))].sort();
  const text = [
    "import type { NotificationSettings } from '@potluck/client';\nimport type { Component } from 'svelte';\n",
    ...icons.map((icon) => `import ${icon} from '../icons/${icon}.svelte';\n`),
    "import { m } from '../messages/index.js';\n\nexport type Kind = keyof NotificationSettings;\n",
    record('icons', 'Component<{ size: number }>', (kind) => kinds[kind].icon),
    record('labels', '() => string', (kind) => `m.people_kind_${snakeCase(kind)}`),
    record('sentences', '(inputs: { title: string; name: string; count: number }) => string', (kind) => {
      return `m.people_news_${snakeCase(kind)}`;
    }),
    `/** Kinds that count what several people do. */\nexport const countedKinds: string[] = ${JSON.stringify(countedKinds)};\n`,
    `/** Kinds that only admins have. */\nexport const adminKinds: string[] = ${JSON.stringify(adminKinds)};\n`,
  ];
  await mkdir(path.dirname(output), { recursive: true });
  await writeFile(output, text.join(''));
}
