/** Each language by its own name. */
export const languageNames = { en: 'English', de: 'Deutsch', sv: 'Svenska', ar: 'العربية' };
