/**
 * `use:enhance` of SvelteKit, with what all forms have in common: from the press until the page shows the result,
 * the form and the pressed button are busy, and another press sends nothing.
 */
import { enhance as enhanceForm, type SubmitFunction } from '$app/forms';

export function enhance(form: HTMLFormElement, submit?: SubmitFunction): { destroy(): void } {
  let isBusy = false;
  return enhanceForm(form, async (input) => {
    if (isBusy) return input.cancel();
    isBusy = true;
    const unmark = markBusy(form, input.submitter);
    const release = () => {
      isBusy = false;
      unmark();
    };
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
      input.cancel();
    };
    const finish = await submit?.({ ...input, cancel });
    if (isCancelled) return release();
    return async (output) => {
      try {
        await (finish ? finish(output) : output.update());
      } finally {
        release();
      }
    };
  });
}

function markBusy(...elements: (HTMLElement | null)[]): () => void {
  for (const element of elements) element?.setAttribute('aria-busy', 'true');
  return () => {
    for (const element of elements) element?.setAttribute('aria-busy', 'false');
  };
}
