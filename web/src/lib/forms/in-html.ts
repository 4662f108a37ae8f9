import { browser } from '$app/env';

/**
 * The text of a `<textarea>` in the HTML of the server, as its `value`. Svelte renders the `defaultValue` of a `<textarea>` in
 * browsers alone: without scripts, the field would be empty, and saving the form would erase the text.
 */
export const inHtml = (text: string): string | undefined => (browser ? undefined : text);
