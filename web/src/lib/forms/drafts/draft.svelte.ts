/** The draft of a form (stored-drafts.ts): kept while the visitor types, and shown again on the next visit. */
import { tick } from 'svelte';
import { m } from '#lib/messages/index.js';
import { beforeNavigate } from '$app/navigation';
import { page } from '$app/state';
import { fillForm, hasFile, isTouched } from './form-controls.ts';
import { keepDraft, readDraft, removeDraft } from './stored-drafts.ts';

/** In ms. Waits for a pause in typing. */
const pauseMs = 200;

type Options = {
  /** The name of the form. Forms of different objects have different names. */
  name: () => string;
  /** Whether the page makes the form anew from `kept`, because it has more than its controls show. */
  isShownByPage?: boolean;
};

export function createDraft({ name, isShownByPage = false }: Options) {
  let kept = $state.raw<FormData | null>(null);
  let isRead = false;
  /** The account and the form, as they were when the form was made: the page may show another one meanwhile. */
  let own: [account: string, form: string] = ['', ''];
  let form: HTMLFormElement | null = null;
  let initial = '';
  let isUnkept = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function follow(element: HTMLFormElement): () => void {
    form = element;
    own = [page.data.me?.id ?? '', name()];
    if (!isRead) restore(element);
    isRead = true;
    initial = serialize(element);
    const types = ['input', 'change', 'click', 'focusout'];
    for (const type of types) element.addEventListener(type, schedule);
    return () => {
      flush();
      for (const type of types) element.removeEventListener(type, schedule);
      if (form === element) form = null;
    };
  }

  function restore(element: HTMLFormElement): void {
    if (isTouched(element)) return;
    kept = readDraft(...own);
    if (kept && !isShownByPage) fillForm(element, kept);
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(flush, pauseMs);
  }

  function flush(): void {
    clearTimeout(timer);
    if (!form || serialize(form) === initial) return;
    isUnkept = !keepDraft(...own, new FormData(form));
  }

  function clear(): void {
    clearTimeout(timer);
    isUnkept = false;
    kept = null;
    removeDraft(...own);
    forget();
    // The page may empty the form now.
    void tick().then(forget);
  }

  /** What the form shows is no draft. */
  function forget(): void {
    if (form) initial = serialize(form);
  }

  // Only what no draft has is lost: a chosen file, or everything in a browser that stores nothing.
  beforeNavigate(({ cancel, willUnload }) => {
    flush();
    if (!isUnkept && !(form && hasFile(form))) return;
    if (willUnload || !confirm(m.draft_leave())) cancel();
  });

  return {
    follow,
    clear,
    /** What was kept, until the form is sent or started over; null if nothing was. */
    get kept() {
      return kept;
    },
    startOver() {
      if (!isShownByPage) form?.reset();
      clear();
    },
  };
}

export type FormDraft = ReturnType<typeof createDraft>;

const serialize = (form: HTMLFormElement): string =>
  JSON.stringify([...new FormData(form)].map(([name, value]) => [name, String(value)]));
