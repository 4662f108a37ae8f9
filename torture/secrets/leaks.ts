/** Finds secret values in texts, and names the places without repeating the values. */

/** The values by name. */
export type Secrets = Record<string, string>;

/** The forms in which a value can appear. */
const formsOf = (value: string): string[] => [
  value,
  value.replace('+', ''),
  encodeURIComponent(value),
  encodeURIComponent(encodeURIComponent(value)),
  Buffer.from(value).toString('hex'),
];

/** Ids, hashes and times, which contain the six digits of a code by chance. */
const random =
  /[0-9a-f]{8}-[0-9a-f-]{27}|sha256-[\w+/]+=*|\d\d:\d\d:\d\d\.\d+|"(?:time|responseTime)":[\d.]+/g;

/** @returns a line for each secret in the text: its name, the place and the text around it */
export function findLeaks(place: string, text: string, secrets: Secrets): string[] {
  const plain = text.replace(random, '');
  return Object.entries(secrets).flatMap(([name, value]) => {
    const at = formsOf(value)
      .map((form) => plain.indexOf(form))
      .find((index) => index >= 0);
    if (at === undefined) return [];
    const around = plain.slice(Math.max(0, at - 60), at + value.length + 30);
    return [withoutValues(`${name} in ${place}: …${around.replace(/\s+/g, ' ')}…`, secrets)];
  });
}

/** Replaces the values by their names. */
function withoutValues(line: string, secrets: Secrets): string {
  const forms = Object.entries(secrets).flatMap(([name, value]) =>
    formsOf(value).map((form) => [form, `<${name}>`] as const),
  );
  // The longest first, because a form may contain another.
  forms.sort(([a], [b]) => b.length - a.length);
  return forms.reduce((text, [form, name]) => text.replaceAll(form, name), line);
}
