/** The state of the page of an event: the data of the page, and what its forms and the live stream have changed since then. */
import type { Event, Item, LiveMessage } from '@potluck/client';
import { beforeShown, onObject, onValue } from '#lib/effects/on-value.svelte.ts';
import { countItems, ShownRows, type Totals } from '#lib/event/bring/bring-list.ts';
import { EventForms } from '#lib/event/event-forms.svelte.ts';
import { LiveEvent } from '#lib/event/event-live.svelte.ts';
import type { GuestResult } from '#lib/event/guests/guest-result.ts';
import { m } from '#lib/messages/index.js';
import { goto } from '$app/navigation';
import { page } from '$app/state';

type PageData = {
  event: Event;
  me: object | null;
  list: { rows: Item[]; totals: Totals; query: string; isWhole: boolean };
  /** What could not be done after the sign-in. */
  refusal: GuestResult | null;
};

/** Created once for the page: it shows one event after another. */
export class EventPage {
  readonly forms: EventForms;
  /** The id of the item that has the focus: it keeps its row. */
  focusedItem = $state<string | null>(null);

  readonly #data: () => PageData;
  readonly #live = new LiveEvent();
  /** Of the stream: what tells a change of comments from one of the guests. */
  #commentsVersion = 0;
  readonly #shown = new ShownRows();
  readonly event = $derived.by(() => this.#live.applyCounts(this.#data().event));
  readonly #rows = $derived.by(() => {
    const { event, list } = this.#data();
    return this.#shown.update(event.id + list.query, list.rows, [this.forms.result?.item, this.focusedItem]);
  });
  readonly items = $derived.by(() => {
    const { event, me, list } = this.#data();
    return this.#live.applyItems(event.id, this.#rows, { isSignedIn: me !== null, isWhole: list.isWhole });
  });
  /** Of all pages of the list, with what has changed since they were loaded. */
  readonly totals = $derived.by(() =>
    countItems(this.items, countItems(this.#rows, this.#data().list.totals, -1)),
  );

  constructor(data: () => PageData, result: GuestResult | null) {
    this.#data = data;
    this.forms = new EventForms(() => data().me !== null, result);
    onObject(
      () => data().event,
      () => this.#live.forgetOld(),
    );
    this.#showRefusalOnce();
    onValue(
      () => data().me !== null,
      (isSignedIn) => {
        if (isSignedIn) this.forms.intent = null;
      },
    );
    this.#followEvent();
  }

  /** A refusal after the sign-in is shown once: neither a reload nor a shared address shows it again. */
  #showRefusalOnce(): void {
    onValue(
      () => this.#data().refusal !== null && page.url.searchParams.has('refused'),
      (isRefused) => {
        if (!isRefused) return;
        const { refusal, list } = this.#data();
        this.forms.result = refusal;
        void goto(page.url.pathname + list.query.replace('&', '?'), { replace: true, reset: false });
      },
    );
  }

  #followEvent(): void {
    const eventId = () => this.#data().event.id;
    let shownId = eventId();
    beforeShown(eventId, (id) => {
      if (id !== shownId) this.forms.result = null;
      shownId = id;
    });
    onValue(eventId, (id) =>
      this.#live.listen(id, {
        // A page without a connection stays as it is.
        refresh: () => {
          if (navigator.onLine) void this.forms.refresh();
        },
        showsPeople: () => this.#showsPeople(),
        onChange: (message) => this.#announce(message),
      }),
    );
  }

  #showsPeople(): boolean {
    const { event, me } = this.#data();
    const { guestListVisibility, claimantVisibility, commentVisibility } = event;
    return me !== null || [guestListVisibility, claimantVisibility, commentVisibility].includes('everyone');
  }

  #announce({ event: type, data: change }: LiveMessage): void {
    const { forms } = this;
    if (type === 'counts') {
      const isOfComments = change.commentsVersion !== this.#commentsVersion;
      this.#commentsVersion = change.commentsVersion;
      forms.announcement = isOfComments
        ? m.event_comments_changed()
        : m.event_now_going({ count: change.goingCount });
    } else if (type === 'snapshot') this.#commentsVersion = change.counts.commentsVersion;
    else if (type === 'event') forms.announcement = m.event_now_changed();
    else if (type === 'item' && forms.busy !== change.id) {
      const count = Math.max(0, change.quantityNeeded - change.quantityClaimed);
      forms.announcement = m.event_now_left({ item: change.title, count: `${count}` });
    }
  }
}
