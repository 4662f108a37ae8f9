/**
 * `use:enhance` of SvelteKit, with what all forms have in common: from the press until the page shows the result,
 * the form and the pressed button are busy, and another press of that button sends nothing. `submit` decides what
 * another button does meanwhile. Pages use it through `createForm` and `EventForms`.
 */
import { enhance as enhanceForm, type SubmitFunction } from '$app/forms';

/** @param repeats lets another press of a button count while the first one is busy: that of a stepper */
export function enhance(
  form: HTMLFormElement,
  submit: SubmitFunction,
  { repeats = false } = {},
): { destroy(): void } {
  const pressed: (HTMLElement | null)[] = [];
  return enhanceForm(form, async (input) => {
    const { submitter } = input;
    const isIgnored = (!repeats && pressed.includes(submitter)) || submitter?.ariaDisabled === 'true';
    if (isIgnored) return input.cancel();
    pressed.push(submitter);
    setBusy(form, true);
    setBusy(submitter, true);
    const release = () => {
      pressed.splice(pressed.indexOf(submitter), 1);
      setBusy(form, pressed.length > 0);
      setBusy(submitter, pressed.includes(submitter));
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
