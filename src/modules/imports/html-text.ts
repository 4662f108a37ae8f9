/** The text of HTML, which some programs write into descriptions. */
import { Parser } from 'htmlparser2';

/** Whether a text has tags of HTML or entities in it, and not only a `<` or `&`. */
const isHtml = (text: string): boolean =>
  /<(?:p|br|div|span|b|i|u|a|ul|ol|li|h[1-6]|strong|em|html|body|table|tr|td|font|hr|img|blockquote|pre|meta|html-blob)\b[^<>]{0,2000}>/i.test(
    text,
  ) || hasEntities(text);

const hasEntities = (text: string): boolean => /&(?:#\d{2,6}|#x[\da-f]{2,5}|[a-z]{2,12}\d{0,2});/i.test(text);

const blocks = new Set(
  'p div h1 h2 h3 h4 h5 h6 ul ol table tr blockquote pre hr section article header footer dl dt dd'.split(
    ' ',
  ),
);
const hidden = new Set(['script', 'style', 'head', 'title', 'template', 'noscript']);

/** Lines for blocks and lists, links as their text and their address. Takes linear time. */
export function textOfHtml(html: string): string {
  const pieces: string[] = [];
  let [hiddenDepth, link, linkText] = [0, '', ''];
  const newLine = () => pieces.push('\n');
  const parser = new Parser(
    {
      onopentag(name, { href = '' }) {
        if (hidden.has(name)) hiddenDepth++;
        if (name === 'br' || blocks.has(name)) newLine();
        if (name === 'li') pieces.push('\n• ');
        if (name === 'td' || name === 'th') pieces.push(' ');
        if (name === 'a')
          [link, linkText] = [/^(?:https?:|mailto:)/i.test(href.trim()) ? href.trim() : '', ''];
      },
      ontext(text) {
        if (hiddenDepth > 0) return;
        pieces.push(text);
        if (link) linkText += text;
      },
      onclosetag(name) {
        if (hidden.has(name)) hiddenDepth--;
        if (blocks.has(name)) newLine();
        if (name !== 'a' || link === '') return;
        const address = link.replace(/^mailto:/i, '');
        if (!linkText.includes(address) && !address.includes(linkText.trim() || '\n'))
          pieces.push(` (${address})`);
        else if (linkText.trim() === '') pieces.push(address);
        link = '';
      },
    },
    { decodeEntities: true },
  );
  // Line breaks of the source are line breaks of a text that is not quite HTML.
  parser.write(html);
  parser.end();
  return pieces
    .join('')
    .replace(/[ \t\u00a0]+/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The text of what may be HTML. */
export const plainText = (text: string): string => (isHtml(text) ? textOfHtml(text) : text);

/** A line of text without the entities that some programs leave in it. */
export const withoutEntities = (text: string): string => {
  if (!hasEntities(text)) return text;
  const pieces: string[] = [];
  // Tags stay as they are: a title is no HTML.
  const parser = new Parser({ ontext: (piece) => pieces.push(piece) }, { decodeEntities: true });
  parser.write(text.replaceAll('<', '&lt;'));
  parser.end();
  return pieces.join('');
};
