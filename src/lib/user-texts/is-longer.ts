/**
 * Whether a text has more characters (code points) than `limit`. A character has one or two UTF-16 code units. Counts without
 * splitting the text, which would allocate an element for each character of each long text of a request.
 */
export function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let characters = 0;
  for (let i = 0; i < text.length; i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1)
    if (++characters > limit) return true;
  return false;
}
