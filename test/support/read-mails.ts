/** Reads mails with the parser of Python, which is independent of the library that writes them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

export type ReadMail = {
  headers: Record<string, string>;
  /** What the parser found wrong. */
  defects: string[];
  parts: { type: string; method: string | null; text: string }[];
};

export const pythonProblem =
  spawnSync('python3', ['--version']).status === 0 ? '' : 'python3 is not installed';

const program = `
import email, email.policy, json, sys
def read(text):
    mail = email.message_from_bytes(text.encode('latin-1'), policy=email.policy.default)
    parts = [part for part in mail.walk() if not part.is_multipart()]
    return {
        'headers': {name.lower(): str(value) for name, value in mail.items()},
        'defects': [repr(d) for part in mail.walk() for d in part.defects],
        'parts': [{'type': part.get_content_type(), 'method': part.get_param('method'), 'text': part.get_content()} for part in parts],
    }
print(json.dumps([read(text) for text in json.load(sys.stdin)]))
`;

/** @param mails as they were sent, each byte a character */
export function readMails(mails: string[]): ReadMail[] {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program], {
    input: JSON.stringify(mails),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}
