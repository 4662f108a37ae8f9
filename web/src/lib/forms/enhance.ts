/**
 * `use:enhance` of SvelteKit, with what all forms have in common: from the press until the page shows the result,
 * the form and the pressed button are busy, and another press of that button sends nothing. `submit` decides what
 * another button does meanwhile. Pages use it through `createForm` and `EventForms`.
 */
import { enhance as enhanceForm, type SubmitFunction } from '$app/forms';

export function enhance(form: HTMLFormElement, submit: SubmitFunction): { destroy(): void } {
  const pressed = new Set<HTMLElement | null>();
  return enhanceForm(form, async (input) => {
    const { submitter } = input;
    if (pressed.has(submitter)) return input.cancel();
    pressed.add(submitter);
    setBusy(form, true);
    setBusy(submitter, true);
    const release = () => {
      pressed.delete(submitter);
      setBusy(form, pressed.size > 0);
      setBusy(submitter, false);
    };
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
      input.cancel();
    };
    const finish = await submit({ ...input, cancel });
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

function setBusy(element: HTMLElement | null, isBusy: boolean): void {
  element?.setAttribute('aria-busy', String(isBusy));
}
