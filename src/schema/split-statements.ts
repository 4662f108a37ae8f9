/**
 * A quoted string or name, a dollar-quoted body, a comment (without nesting), or a semicolon outside of them. The
 * bodies of `begin atomic` are not recognized.
 */
const token = /'[^']*'|"[^"]*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|;/gs;

/** Splits the text of a SQL file into its statements, without the semicolons. Text without a statement is left out. */
export function splitStatements(text: string): string[] {
  const ends = [...text.matchAll(token)].filter(([found]) => found === ';').map(({ index }) => index);
  const starts = [0, ...ends.map((end) => end + 1)];
  return starts
    .map((start, i) => text.slice(start, ends[i]).trim())
    .filter((statement) =>
      statement.replace(token, (found) => (/^(--|\/\*)/.test(found) ? '' : found)).trim(),
    );
}
