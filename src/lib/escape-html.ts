/** Escapes text for HTML and for values of attributes. All text that people entered must pass through it. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
