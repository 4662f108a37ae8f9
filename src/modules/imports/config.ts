/** An origin from which tests import, although it is not public. */
import type { Reader } from '../../config/reader.ts';

export function readImportTestOrigin(read: Reader, production: boolean): string | undefined {
  const origin = read.text('IMPORT_TEST_ORIGIN');
  if (origin === undefined) return undefined;
  if (production)
    read.faults.push('IMPORT_TEST_ORIGIN is set; in production nothing but public addresses is fetched.');
  if (!/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(origin))
    read.faults.push(
      `IMPORT_TEST_ORIGIN is "${origin}"; it must be an origin such as http://127.0.0.1:8080.`,
    );
  return origin;
}
