/** The state of a form that the page sends in the background. */
import { type ActionResult, applyAction, type SubmitFunction } from '$app/forms';
import { refreshAll } from '$app/navigation';

/**
 * Sends a form once for each press, and leaves what is entered where the request fails. A redirect to the page
 * itself loads its data again in place, so that the focus stays.
 *
 * `Data`: what the action returns, also where it refuses.
 * @param onDone is called after a response that is no failure, and after the data of the page is loaded again
 */
export function trackForm<Data extends object = object>(onDone: (form: HTMLFormElement) => void = () => {}) {
  let isBusy = $state(false);
  let result = $state.raw<ActionResult | null>(null);
  const track: SubmitFunction = ({ cancel, formElement }) => {
    if (isBusy) return cancel();
    isBusy = true;
    result = null;
    return async ({ result: latest }) => {
      if (latest.type === 'redirect' && !isHere(latest.location)) await applyAction(latest);
      else if (latest.type === 'redirect' || latest.type === 'success') await refreshAll();
      isBusy = false;
      result = latest;
      if (latest.type === 'redirect' || latest.type === 'success') onDone(formElement);
    };
  };
  return {
    track,
    get isBusy() {
      return isBusy;
    },
    /** Whether the request reached no server, or one that could not answer. */
    get hasFailed() {
      return result?.type === 'error';
    },
    get isDone() {
      return result?.type === 'redirect' || result?.type === 'success';
    },
    /** What the action returned last; undefined before that. */
    get data() {
      return result?.type === 'success' || result?.type === 'failure'
        ? (result.data as Data | undefined)
        : undefined;
    },
  };
}

function isHere(address: string): boolean {
  const { pathname, search } = new URL(address, location.href);
  return pathname === location.pathname && search === location.search;
}
