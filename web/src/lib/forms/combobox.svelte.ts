/** The behaviour of a text field with a list of options below it (WAI-ARIA: combobox with a listbox). */
import { tick } from 'svelte';
import type { HTMLInputAttributes } from 'svelte/elements';

type Options<T> = {
  id: string;
  /** Finds the options for a text. Null if they cannot be known: the list stays as it is. */
  find: (text: string, signal: AbortSignal) => Promise<T[] | null>;
  onchoose: (option: T) => void;
  /** Whether Enter chooses the first option if none is active. Otherwise it sends the form. */
  isFirstChosen?: () => boolean;
};

/** In ms. Waits for a pause in typing. */
const pauseMs = 150;

export class Combobox<T> {
  readonly id: string;
  readonly #options: Options<T>;
  options = $state.raw<T[]>([]);
  isOpen = $state(false);
  isSearching = $state(false);
  /** The position of the active option; −1 for none. */
  active = $state(-1);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #search: AbortController | undefined;

  constructor(options: Options<T>) {
    this.id = options.id;
    this.#options = options;
  }

  get listId(): string {
    return `${this.id}-list`;
  }

  optionId(i: number): string {
    return `${this.id}-option-${i}`;
  }

  /** The attributes of the field, once scripts run. */
  get attributes(): HTMLInputAttributes {
    return {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': this.isOpen,
      'aria-controls': this.listId,
      'aria-activedescendant': this.active >= 0 ? this.optionId(this.active) : undefined,
    };
  }

  /** Finds options for a text that the visitor has typed. */
  type(text: string): void {
    this.#stop();
    this.active = -1;
    if (text === '') this.close();
    else this.#timer = setTimeout(() => void this.#find(text), pauseMs);
  }

  /** Finds options for a text at once. */
  search(text: string): void {
    this.#stop();
    if (text !== '') void this.#find(text);
  }

  async #find(text: string): Promise<void> {
    const own = new AbortController();
    this.#search = own;
    this.isSearching = true;
    try {
      const found = await this.#options.find(text, own.signal);
      if (!found || own.signal.aborted) return;
      this.options = found;
      this.isOpen = found.length > 0;
      await tick();
      // On a phone, the navigation covers the end of the page.
      document.getElementById(this.listId)?.scrollIntoView({ block: 'nearest' });
    } catch {
      // Another search has begun, or the server cannot be reached: the form can be sent without a choice.
    } finally {
      if (this.#search === own) this.isSearching = false;
    }
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#search?.abort();
  }

  /** Closes the list, also one that is about to open. */
  close(): void {
    this.#stop();
    this.isOpen = false;
    this.active = -1;
  }

  choose(option: T): void {
    this.close();
    this.#options.onchoose(option);
  }

  onkeydown(event: KeyboardEvent): void {
    // Enter and arrows choose among the candidates of an input method, such as for Japanese.
    if (event.isComposing) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) this.#move(event, move);
    else if (event.key === 'Enter') this.#enter(event);
    else if (event.key === 'Escape' && this.isOpen) {
      event.preventDefault();
      this.close();
    }
  }

  #move(event: KeyboardEvent, move: number): void {
    event.preventDefault();
    const count = this.options.length;
    if (count === 0) return;
    this.isOpen = true;
    // One position besides the options: none of them.
    this.active = ((this.active + 1 + move + count + 1) % (count + 1)) - 1;
    document.getElementById(this.optionId(this.active))?.scrollIntoView({ block: 'nearest' });
  }

  #enter(event: KeyboardEvent): void {
    const first = this.#options.isFirstChosen?.() ? Math.max(0, this.active) : this.active;
    const option = this.isOpen ? this.options[first] : undefined;
    if (option) {
      event.preventDefault();
      this.choose(option);
    } else {
      this.close();
    }
  }
}
