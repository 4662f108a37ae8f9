/** Finds the JSON-LD of a web page, in turns of the event loop. */
import { Parser } from 'htmlparser2';
import { mapInTurns } from '#base';

/** `line`: at which the element begins. `text`: null for a script that is too long. */
export type Script = { line: number; text: string | null };

const maxScripts = 500;
/** In characters, of one script: longer JSON would hold the event loop. */
const maxLength = 1_000_000;

/** @param pieces of the page, in their order */
export async function findScripts(pieces: string[]): Promise<Script[]> {
  const found: { index: number; texts: string[]; length: number }[] = [];
  let open: (typeof found)[number] | null = null;
  const parser = new Parser({
    onopentag(name, { type = '' }) {
      if (name !== 'script' || !/^\s*application\/ld\+json\s*(?:;|$)/i.test(type)) return;
      open = { index: parser.startIndex, texts: [], length: 0 };
      if (found.length < maxScripts) found.push(open);
    },
    ontext(text) {
      if (!open) return;
      open.length += text.length;
      if (open.length <= maxLength) open.texts.push(text);
    },
    onclosetag(name) {
      if (name === 'script') open = null;
    },
  });
  await mapInTurns(pieces, (piece) => parser.write(piece));
  parser.end();
  const lineAt = lineCounter(pieces);
  return mapInTurns(found, ({ index, texts, length }) => ({
    line: lineAt(index),
    text: length > maxLength ? null : texts.join(''),
  }));
}

/** Counts lines up to an index. Indexes follow in their order, so each piece is read once. */
function lineCounter(pieces: string[]): (index: number) => number {
  let [piece, start, at, line] = [0, 0, 0, 1];
  return (index) => {
    for (let text = pieces[piece]; text !== undefined; text = pieces[piece]) {
      const end = Math.min(index - start, text.length);
      for (let next = text.indexOf('\n', at); next >= 0 && next < end; next = text.indexOf('\n', at)) {
        line++;
        at = next + 1;
      }
      if (index - start < text.length) break;
      [piece, start, at] = [piece + 1, start + text.length, 0];
    }
    return line;
  };
}
