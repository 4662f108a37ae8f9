/** The draft of a form (stored-drafts.ts): kept while the visitor types, and shown again on the next visit. */
import { tick } from 'svelte';
import { m } from '#lib/messages/index.js';
import { beforeNavigate } from '$app/navigation';
import { navigating, page } from '$app/state';
import { fillForm, hasFile, isTouched } from './form-controls.ts';
import { keepDraft, readDraft, removeDraft } from './stored-drafts.ts';

/** In ms. Waits for a pause in typing. */
const pauseMs = 200;

type Options = {
  /** The name of the form. Forms of different objects have different names. */
  name: () => string;
  /** Whether the page makes the form anew from `kept`, because it has more than its controls show. */
  isShownByPage?: boolean;
  /** Whether visitors are asked before they leave a form that they have changed, although its draft is kept. */
  asks?: boolean;
  /** The name of a control that shows a part of the form: a visitor who only looks around changes nothing. */
  part?: string;
};

export function createDraft({ name, isShownByPage = false, asks = false, part }: Options) {
  let kept = $state.raw<FormData | null>(null);
  /** The name of the form whose draft is read: a page may show the forms of several objects one after another. */
  let readName: string | null = null;
  /** The account and the form, as they were when the form was made: the page may show another one meanwhile. */
  let own: [account: string, form: string] = ['', ''];
  let form: HTMLFormElement | null = null;
  let initial = '';
  let isUnkept = false;
  /** Whether the visitor has changed what has not been sent. */
  let isChanged = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function follow(element: HTMLFormElement): () => void {
    form = element;
    own = [page.data.me?.id ?? '', name()];
    if (readName !== own[1]) restore(element);
    readName = own[1];
    initial = serialize(element, part);
    const types = ['input', 'change', 'click', 'focusout'];
    for (const type of types) element.addEventListener(type, schedule);
    return () => {
      flush();
      for (const type of types) element.removeEventListener(type, schedule);
      if (form === element) form = null;
    };
  }

  function restore(element: HTMLFormElement): void {
    isChanged = false;
    const stored = readDraft(...own);
    // Only a form in the HTML of the server can have been filled in before the scripts of the page have started.
    kept = stored && navigating.to === null && isTouched(element, stored) ? null : stored;
    if (kept && !isShownByPage) fillForm(element, kept);
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(flush, pauseMs);
  }

  function flush(): void {
    clearTimeout(timer);
    if (!form || serialize(form, part) === initial) return;
    isChanged = true;
    isUnkept = !keepDraft(...own, new FormData(form));
  }

  function clear(): void {
    clearTimeout(timer);
    isUnkept = false;
    isChanged = false;
    kept = null;
    removeDraft(...own);
    forget();
    // The page may empty the form now.
    void tick().then(forget);
  }

  /** What the form shows is no draft. */
  function forget(): void {
    if (form) initial = serialize(form, part);
  }

  // What no draft has is lost: a chosen file, or everything in a browser that stores nothing.
  beforeNavigate(({ cancel, willUnload, from, to }) => {
    flush();
    const isLost = isUnkept || (form !== null && hasFile(form));
    const comesBack = to?.url.pathname === '/sign-in';
    const isAsked = isLost || (asks && form !== null && isChanged && !comesBack);
    if (!isAsked || (to && isSamePage(from?.url, to.url))) return;
    if (willUnload || !confirm(isLost ? m.draft_leave() : m.draft_leave_kept())) cancel();
  });

  return {
    follow,
    clear,
    /** What was kept, until the form is sent or started over; null if nothing was, and while the page shows another form. */
    get kept() {
      return kept !== null && own[1] === name() ? kept : null;
    },
    startOver() {
      if (!isShownByPage) form?.reset();
      clear();
    },
  };
}

export type FormDraft = ReturnType<typeof createDraft>;

const isSamePage = (from: URL | undefined, to: URL): boolean =>
  from?.pathname === to.pathname && from.search === to.search;

const serialize = (form: HTMLFormElement, part: string | undefined): string =>
  JSON.stringify(
    [...new FormData(form)].filter(([name]) => name !== part).map(([name, value]) => [name, String(value)]),
  );
