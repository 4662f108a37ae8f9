/** Disables what needs the server while there is no connection, on every page. */

/** Buttons that send a form, and other controls that need the server. Links lead to the pages that are stored. */
const controls = [
  'form:not([method=dialog]) button:not([type=button])',
  'input[type=file]',
  'a[download]',
  '[data-needs-server]',
].join();

/**
 * Disables the controls, those that appear later too, until the returned function is called. They keep the focus, and
 * `aria-disabled` leaves `disabled` to the components.
 * @param reasonId the id of the element that says why
 */
export function disableControls(reasonId: string): () => void {
  const disabled = new Set<Element>();
  const disable = () => {
    for (const control of document.querySelectorAll(controls)) {
      if (control.ariaDisabled !== 'true') {
        control.ariaDisabled = 'true';
        disabled.add(control);
      }
      const reasons = readDescription(control);
      if (!reasons.includes(reasonId)) describe(control, [...reasons, reasonId]);
    }
  };
  disable();
  const observer = new MutationObserver(disable);
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['aria-disabled', 'aria-describedby'],
  });
  const stopListening = new AbortController();
  const options = { capture: true, signal: stopListening.signal };
  document.addEventListener('click', (event) => isDisabled(event.target) && suppress(event), options);
  document.addEventListener('submit', suppress, options);
  return () => {
    observer.disconnect();
    stopListening.abort();
    for (const control of document.querySelectorAll(controls)) {
      if (disabled.has(control)) control.removeAttribute('aria-disabled');
      const reasons = readDescription(control).filter((id) => id !== reasonId);
      describe(control, reasons);
    }
  };
}

const isDisabled = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(controls) !== null;

function suppress(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

const readDescription = (control: Element): string[] =>
  (control.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean);

function describe(control: Element, ids: string[]): void {
  if (ids.length > 0) control.setAttribute('aria-describedby', ids.join(' '));
  else control.removeAttribute('aria-describedby');
}
