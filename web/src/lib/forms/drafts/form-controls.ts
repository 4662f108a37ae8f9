/** The controls of a form: whether a visitor has changed them, and how a draft fills them. */

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Without hidden fields and files. */
const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.querySelectorAll<Control>('input, textarea, select')].filter(
    ({ name, type }) => name !== '' && type !== 'hidden' && type !== 'file',
  );

const isChoice = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';

function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some(
      (option) => option.selected !== option.defaultSelected && option.selected,
    );
  return isChoice(control)
    ? control.checked !== control.defaultChecked
    : control.value !== control.defaultValue;
}

/**
 * Whether the visitor has typed something that the draft does not have, for example before the scripts of the page have
 * started. A browser that loads a page again fills in what was there before.
 */
export const isTouched = (form: HTMLFormElement, draft: FormData | null = null): boolean =>
  controlsOf(form).some((control) => {
    if (!isChanged(control) || !draft) return isChanged(control);
    const isKept = draft.getAll(control.name).includes(control.value);
    return isChoice(control) ? isKept !== control.checked : !isKept;
  });

/** Whether a file is chosen and not sent yet. */
export const hasFile = (form: HTMLFormElement): boolean =>
  [...form.querySelectorAll<HTMLInputElement>('input[type=file]')].some(({ files }) => files?.length);

/** Fills the controls as if the visitor had typed. */
export function fillForm(form: HTMLFormElement, data: FormData): void {
  const used = new Map<string, number>();
  for (const control of controlsOf(form)) {
    const values = data.getAll(control.name).map(String);
    if (isChoice(control)) control.checked = values.includes(control.value);
    else {
      const at = used.get(control.name) ?? 0;
      used.set(control.name, at + 1);
      control.value = values[at] ?? '';
    }
    for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
  }
}

/** Sets the controls of some names, hidden ones too, as if the visitor had chosen the values. */
export function setControls(form: HTMLFormElement, values: Record<string, string[]>): void {
  for (const control of form.querySelectorAll<Control>('input, textarea, select')) {
    const wanted = values[control.name];
    if (!wanted) continue;
    if (isChoice(control)) control.checked = wanted.includes(control.value);
    else control.value = wanted[0] ?? '';
    control.dispatchEvent(new Event('change', { bubbles: true }));
  }
}
