/**
 * Reads the fields of a form, or of the query of an address. Every field has a limit before anything else looks at it: what
 * a page does with a text may take longer than its length.
 */
import { error, type RequestEvent } from '@sveltejs/kit';
import type { FormProblem } from '#lib/forms/form-problem.ts';
import { linesOf, textOf } from '#lib/forms/texts.ts';
import { fieldLimits } from '#lib/generated/field-limits.ts';
import { formatNumber } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { invalidForm } from '#lib/server/problems.ts';
import { isLonger } from '../../../../src/lib/user-texts/is-longer.ts';

/** In characters: fields that pages have and operations of the API do not. */
const ownLimits: Record<string, number> = {
  /** A place as JSON (`ChosenPlace`). */
  choice: 3_000,
  place: 3_000,
  /** A pasted list of guests. */
  table: 10_000,
  /** A pasted list of people. */
  list: 20_000,
  /** The rectangles of 200 pins (map-picture.svg). */
  pins: 8_000,
};
const otherLimit = 300;
/** A form with more rows than the API takes has one too many, so that it is refused. */
const maxValues = 101;
const maxNames = 100;

const limits = new Map(Object.entries({ ...fieldLimits, ...ownLimits }));
const limitOf = (name: string): number => limits.get(name) ?? otherLimit;
/** Forms and addresses have others, which no page reads. */
const isFieldName = (name: string): boolean => /^[a-z]\w{0,40}$/i.test(name);

export class PageFields {
  readonly #values = new Map<string, string[]>();
  readonly #files = new Map<string, File>();
  readonly #longNames = new Set<string>();

  /** Cuts texts that are too long, and leaves out names and values that are too many. */
  constructor(entries: Iterable<[string, FormDataEntryValue]>) {
    for (const [name, value] of entries) {
      if (typeof value !== 'string') this.#files.set(name, value);
      else if (isFieldName(name) && (this.#values.has(name) || this.#values.size < maxNames)) {
        const values = this.#values.getOrInsertComputed(name, () => []);
        if (values.length < maxValues) values.push(this.#cut(name, value));
      }
    }
  }

  #cut(name: string, value: string): string {
    const limit = limitOf(name);
    if (!isLonger(value, limit)) return value;
    const lines = linesOf(value).trim();
    if (!isLonger(lines, limit)) return lines;
    this.#longNames.add(name);
    return lines.slice(0, limit).toWellFormed();
  }

  get(name: string): string | null {
    return this.#values.get(name)?.[0] ?? null;
  }

  getAll(name: string): string[] {
    return this.#values.get(name) ?? [];
  }

  file(name: string): File | null {
    return this.#files.get(name) ?? null;
  }

  /** Without surrounding spaces; empty for a field that is not there. */
  text(name: string): string {
    return textOf(this.get(name));
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Why the form is refused: texts that were cut. Null if there are none. */
  get problem(): FormProblem | null {
    if (this.#longNames.size === 0) return null;
    const textFor = (name: string) => m.field_max_length({ limit: formatNumber(limitOf(name)) });
    return invalidForm(Object.fromEntries([...this.#longNames].map((name) => [name, textFor(name)])));
  }
}

/** @throws the error page with status 400 for a body that is no form */
export async function readForm({ request }: Pick<RequestEvent, 'request'>): Promise<PageFields> {
  const form = await request.formData().catch(() => error(400, { message: m.problem_other() }));
  return new PageFields(form);
}

/** A parameter that is too long is cut: the API refuses what that makes invalid. */
export const readQuery = ({ searchParams }: URL): PageFields => new PageFields(searchParams);
