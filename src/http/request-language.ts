/** The language in which a request is answered to a person: that of the pages, or of the client. */
import type { IncomingHttpHeaders } from 'node:http';
import { chooseLanguage, type Language } from '../../web/src/lib/language/languages.ts';

export const languageOf = ({ headers }: { headers: IncomingHttpHeaders }): Language =>
  chooseLanguage(headers.cookie, headers['accept-language']);
