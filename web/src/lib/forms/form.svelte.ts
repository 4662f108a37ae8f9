/** The forms of a page, sent in the background. Those of the page of an event share a queue (event-forms.svelte.ts). */
import { type ActionResult, applyAction, type SubmitFunction } from '$app/forms';
import { afterNavigate, refreshAll } from '$app/navigation';
import type { FormDraft } from './drafts/draft.svelte.ts';
import { enhance } from './enhance.ts';
import type { FormProblem } from './form-problem.ts';

/** Data of an action, which has the problem if it refuses. */
type Answer = { problem?: FormProblem | undefined };

type Options<Data> = {
  /** The property `form` of the page: what the action returned to a browser without scripts. */
  form?: () => Data | null;
  /** Is called after a response that is no failure, and after the data of the page are loaded again. */
  onDone?: (form: HTMLFormElement) => void;
  /** Handles a response in place of the page. Returns undefined for one that the page handles. */
  handle?: (result: ActionResult) => Promise<unknown> | undefined;
  /** Keeps what is typed in the browser until the form has succeeded. */
  draft?: FormDraft;
};

/**
 * Sends a form once for each press, and keeps what is entered where the request fails. A redirect to the page itself
 * loads its data again in place, so that the focus stays. Several forms may share it if only one of them is sent at a
 * time.
 *
 * `Data`: what the action returns, also where it refuses.
 */
export function createForm<Data extends Answer>(options: Options<Data> = {}) {
  let isBusy = $state(false);
  let latest = $state.raw<ActionResult | null>(null);
  /** What the action returned last; undefined before the first response of this page. */
  let answer = $state.raw<{ data: Data | undefined }>();
  const { draft } = options;
  const data = $derived(answer ? answer.data : (options.form?.() ?? undefined));

  const submit: SubmitFunction = ({ cancel, formElement }) => {
    if (isBusy) return cancel();
    isBusy = true;
    return async ({ result }) => {
      // Nothing that is sent asks the visitor to stay.
      if (result.type === 'redirect') draft?.clear();
      await (options.handle?.(result) ?? settle(result));
      isBusy = false;
      latest = result;
      if (result.type === 'error') return;
      answer = { data: result.type === 'redirect' ? undefined : (result.data as Data | undefined) };
      if (result.type === 'failure') return;
      draft?.clear();
      options.onDone?.(formElement);
    };
  };

  // The result of a form belongs to the page that it was sent from.
  afterNavigate(() => {
    latest = null;
    answer = undefined;
  });

  return {
    /** Use as `use:form.enhance`. */
    enhance(element: HTMLFormElement) {
      const sending = enhance(element, submit);
      const stop = draft?.follow(element);
      return {
        destroy() {
          stop?.();
          sending.destroy();
        },
      };
    },
    draft,
    get isBusy() {
      return isBusy;
    },
    /** Whether the request reached no server, or one that could not answer. */
    get hasFailed() {
      return !isBusy && latest?.type === 'error';
    },
    get isDone() {
      if (isBusy) return false;
      return latest
        ? latest.type === 'success' || latest.type === 'redirect'
        : data !== undefined && !data.problem;
    },
    /** Why the form was refused. */
    get problem() {
      return isBusy || latest?.type === 'error' ? undefined : data?.problem;
    },
    /** What the action returned last. It stays while the form is sent again, and where that request fails. */
    get data() {
      return data;
    },
    /** Shows the form as before the first response. */
    reset() {
      answer = { data: undefined };
    },
  };
}

export type PageForm<Data extends Answer> = ReturnType<typeof createForm<Data>>;

async function settle(result: ActionResult): Promise<void> {
  if (result.type === 'redirect' && !isHere(result.location)) await applyAction(result);
  else if (result.type === 'redirect' || result.type === 'success') await refreshAll();
}

function isHere(address: string): boolean {
  const { pathname, search } = new URL(address, location.href);
  return pathname === location.pathname && search === location.search;
}
