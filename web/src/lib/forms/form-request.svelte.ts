/** The request of a form that stays on the page, with what was entered, until it succeeds. */
import type { SubmitFunction } from '$app/forms';

export type FormRequest = {
  /** Use with `use:enhance`. */
  readonly track: SubmitFunction;
  readonly isBusy: boolean;
  /** Whether the last request got no answer. The error page would take the form away. */
  readonly isLost: boolean;
};

export function createFormRequest(): FormRequest {
  let isBusy = $state(false);
  let isLost = $state(false);
  return {
    track: ({ cancel }) => {
      if (isBusy) return cancel();
      isBusy = true;
      isLost = false;
      return async ({ result, update }) => {
        if (result.type === 'error') isLost = true;
        else await update({ reset: false });
        isBusy = false;
      };
    },
    get isBusy() {
      return isBusy;
    },
    get isLost() {
      return isLost;
    },
  };
}
