/** What a value of a response must be, and the checks of the records of the specification, from its tables. */
import { timestampMs } from '../../test/operations/rules.ts';
import { fieldTablesOf, type RecordField, readSections } from '../../test/operations/specification-tables.ts';

type Context = { hasToken: boolean };
export type Check = (value: unknown, context: Context) => boolean;
export type Checks = Record<string, Check>;

const isText: Check = (value) => typeof value === 'string';
export const isFilled: Check = (value) => typeof value === 'string' && value !== '';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0;
const isNumber: Check = (value) => Number.isFinite(value);
export const isTime: Check = (value) =>
  typeof value === 'string' && /Z$/.test(value) && timestampMs(value) !== null;
const isUrl: Check = (value) => typeof value === 'string' && /^https?:\/\//i.test(value);
export const isOneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    allowed.includes(value);
export const isObject =
  (checks: Checks): Check =>
  (value, context) =>
    typeof value === 'object' &&
    value !== null &&
    wrongFields(checks, value as Record<string, unknown>, context).length === 0;
export const isList =
  (check: Check): Check =>
  (value, context) =>
    Array.isArray(value) && value.every((element) => check(element, context));
const isNullOr =
  (check: Check): Check =>
  (value, context) =>
    value === null || check(value, context);
/** Present if and only if the request has a token. */
const withToken =
  (check: Check): Check =>
  (value, context) =>
    context.hasToken ? check(value, context) : value === undefined;
const ifPresent =
  (check: Check): Check =>
  (value, context) =>
    value === undefined || check(value, context);

export const wrongFields = (checks: Checks, value: Record<string, unknown>, context: Context): string[] =>
  Object.entries(checks)
    .filter(([name, check]) => !check(value[name], context))
    .map(([name]) => name);

/** The fields that `content` lists with their types, such as "`id` (string), `seats` (number)". */
function innerFields(content: string): Checks {
  const fields = content.matchAll(/(if it is set, )?`(\w+)` \((string|number|boolean)\)/g);
  return Object.fromEntries(
    [...fields].map(([, isOptional, name = '', type = '']) => {
      const check = checkOfType({ name, type, content: '' });
      return [name, isOptional ? ifPresent(check) : check];
    }),
  );
}

function checkOfType({ name, type, content }: RecordField): Check {
  if (type === 'boolean') return isFlag;
  if (type === 'number')
    return /Count$|^quantity|^capacity$|^seats$|^total$|^page$|^limit$/.test(name) ? isCount : isNumber;
  if (type === 'object') return isObject(innerFields(content));
  if (type.startsWith('array')) return isList(type === 'array of string' ? isText : () => true);
  const [alternatives] = /(`\w+`, )*`\w+` or `\w+`/.exec(content) ?? [];
  if (alternatives) return isOneOf(...alternatives.matchAll(/\w+(?=`)/g).map(([word]) => word));
  if (/At$/.test(name)) return isTime;
  if (/^the URL of/.test(content)) return isUrl;
  return /^id$|Id$/.test(name) ? isFilled : isText;
}

function checkOf(field: RecordField): Check {
  const [type = '', orNull] = field.type.split(' or ');
  const check = checkOfType({ ...field, type });
  const nullable = orNull === 'null' ? isNullOr(check) : check;
  if (field.content.includes('present only with a token')) return withToken(nullable);
  return /\babsent if\b|present only for/.test(field.content) ? ifPresent(nullable) : nullable;
}

const sections = readSections();

/** The checks of all fields in the tables of a section. */
export function checksOf(number: string): Checks {
  const section = sections.get(number);
  const fields = section ? fieldTablesOf(section).flat() : [];
  if (fields.length === 0) throw new Error(`section ${number} of the specification has no table of fields`);
  return Object.fromEntries(fields.map((field) => [field.name, checkOf(field)]));
}
