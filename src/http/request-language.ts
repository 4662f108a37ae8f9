/** The language in which a request is answered to a person: that of the pages, of the client, or of the instance. */
import type { IncomingHttpHeaders } from 'node:http';
import { findLanguage, type Language } from '../../web/src/lib/language/languages.ts';
import type { Instance } from '../instance/settings.ts';

export const languageOf = async (
  { instance }: { instance: Instance },
  { headers }: { headers: IncomingHttpHeaders },
): Promise<Language> =>
  findLanguage(headers.cookie, headers['accept-language']) ?? (await instance.settings()).language;
