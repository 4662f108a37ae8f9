/** What the command imports: a file, or what is at an address. */
import { createReadStream } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { Problem } from '../../lib/errors.ts';
import { CalendarError } from '../../modules/imports/calendar-error.ts';
import { maxFileBytes } from '../../modules/imports/file-bytes.ts';
import { type FileKind, kindOf } from '../../modules/imports/file-kind.ts';
import type { FileEntries } from '../../modules/imports/parse-entry.ts';
import { readFile } from '../../modules/imports/read-file.ts';
import { fetchSource, SourceError } from '../../modules/imports/sources/fetch-source.ts';
import { readSourceAddress } from '../../modules/imports/sources/source-address.ts';
import type { DateOrder } from '../../modules/imports/tables/date-text.ts';
import { CommandError } from '../command/command-error.ts';

const orders: Record<string, DateOrder> = { 'day-first': 'dayFirst', 'month-first': 'monthFirst' };

/** @throws CommandError */
export function readDateOrder(text: string | undefined): DateOrder | null {
  const order = text === undefined ? null : orders[text];
  if (order === undefined)
    throw new CommandError(`--date-order is "${text}"; it must be day-first or month-first.`);
  return order;
}

/**
 * @param source the path of a file, or an address
 * @param order of dates that do not say it
 * @throws CommandError
 */
export async function readSource(
  { importTestOrigin }: Config,
  source: string,
  order: DateOrder | null,
): Promise<FileEntries> {
  const isAddress = /^(?:https?|webcal):\/\//i.test(source);
  const { bytes, kind } = isAddress ? await fetched(source, importTestOrigin) : await opened(source);
  try {
    const read = await readFile(bytes, kind);
    if (!('question' in read)) return read;
    const { id, column, example } = read.question;
    if (!order)
      throw new CommandError(
        `Dates in the column "${column}" of ${source} do not say whether the day or the month comes first, such as ${example}. ` +
          'Add --date-order day-first or --date-order month-first.',
      );
    const answered = await readFile(bytes, kind, { [id]: order });
    if ('question' in answered) throw new Error('the question was answered');
    return answered;
  } catch (error) {
    throw error instanceof CalendarError ? new CommandError(`${source} ${error.message}.`) : error;
  }
}

type OpenedSource = { bytes: Buffer; kind: FileKind };

async function fetched(address: string, testOrigin: string | undefined): Promise<OpenedSource> {
  try {
    const { body: bytes, type } = await fetchSource(readSourceAddress(address, testOrigin), { testOrigin });
    if (!bytes) throw new Error('the answer has no file');
    return { bytes, kind: kindOf(bytes, type) };
  } catch (error) {
    if (error instanceof Problem) throw new CommandError(`The address ${address}: ${error.message}`);
    if (error instanceof CalendarError) throw new CommandError(`${address} ${error.message}.`);
    if (!(error instanceof SourceError)) throw error;
    throw new CommandError(`${address} did not answer with a file. Only public addresses are read.`);
  }
}

const types: [RegExp, string][] = [
  [/\.[ct]sv$/i, 'text/csv'],
  [/\.html?$/i, 'text/html'],
  [/\.ics$/i, 'text/calendar'],
];

async function opened(file: string): Promise<OpenedSource> {
  const bytes = await readBytes(file);
  return { bytes, kind: kindOf(bytes, types.find(([ending]) => ending.test(file))?.[1] ?? '') };
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    // One byte more than a file may have shows that it is larger.
    return Buffer.concat(await Array.fromAsync(createReadStream(file, { end: maxFileBytes })));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      ENOENT: 'does not exist',
      EISDIR: 'is a directory',
      EACCES: 'may not be read by this user',
    };
    throw new CommandError(`${file} ${reasons[code] ?? `cannot be read: ${message}`}.`);
  }
}
