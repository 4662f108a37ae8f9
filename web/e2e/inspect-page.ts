/** What a page tells search engines and browsers, and what is wrong with it. The functions run in the browser. */

/** Returns the metadata of the document. */
export function inspectHead() {
  const contentsOf = (name: string) =>
    [...document.querySelectorAll<HTMLMetaElement>(`head > meta[name="${name}"]`)].map(
      ({ content }) => content,
    );
  const addressesOf = (selector: string) =>
    [...document.querySelectorAll(`head > link${selector}`)].map((link) => link.getAttribute('href'));
  return {
    doctype: document.doctype?.name,
    mode: document.compatMode,
    charset: document.characterSet,
    language: document.documentElement.lang,
    titles: [...document.querySelectorAll('head > title')].map(({ textContent }) => textContent),
    viewports: contentsOf('viewport'),
    descriptions: contentsOf('description'),
    robots: contentsOf('robots'),
    canonicals: addressesOf('[rel=canonical]'),
    alternates: addressesOf('[rel=alternate][hreflang]'),
  };
}

/** Returns the elements that have a fault, each after the name of the fault. */
export function findFaults(): string[] {
  const vague =
    /^(click (here|this)|go|(right )?here|information|((learn|read|see) )?more|more info(rmation)?|start|this)$/i;
  const schemes = ['http:', 'https:', 'mailto:', 'sms:', 'geo:', 'webcal:'];
  const isOpener = ({ target, origin, rel }: HTMLAnchorElement) =>
    (target === '_blank' || origin !== location.origin) && !/\bnoopener\b/.test(rel);
  // A vector image has no size of its own, and one with another `object-fit` is cut, not distorted.
  const isFilled = (image: HTMLImageElement) =>
    image.complete && !/\.svg(\?|$)/.test(image.src) && getComputedStyle(image).objectFit === 'fill';
  const isDistorted = (image: HTMLImageElement) =>
    isFilled(image) && Math.abs((image.width / image.naturalWidth) * image.naturalHeight - image.height) >= 2;
  const refusesPaste = (field: Element) =>
    !field.dispatchEvent(new ClipboardEvent('paste', { cancelable: true, bubbles: true }));
  const find = <E extends Element>(fault: string, selector: string, isFaulty: (element: E) => boolean) =>
    [...document.querySelectorAll<E>(selector)]
      .filter(isFaulty)
      .map(({ outerHTML }) => `${fault}: ${outerHTML.slice(0, 150)}`);
  return [
    ...find<HTMLAnchorElement>('vague text', 'a', ({ textContent }) => vague.test(textContent.trim())),
    ...find<HTMLAnchorElement>(
      'no address',
      'a[href]:not(svg a)',
      ({ protocol }) => !schemes.includes(protocol),
    ),
    ...find<HTMLAnchorElement>('no rel', 'a[href^="http"], a[target]', isOpener),
    ...find<HTMLImageElement>('broken', 'img', (image) => image.complete && image.naturalWidth === 0),
    ...find<HTMLImageElement>('distorted', 'img', isDistorted),
    ...find<HTMLImageElement>(
      'blurred',
      'img',
      (image) => isFilled(image) && image.naturalWidth < image.width,
    ),
    ...find('refuses to be pasted into', 'input, textarea', refusesPaste),
  ];
}

/** Reports it to the console if the page asks for a permission. Tests that call this function make no gesture. */
export function reportPermissionRequests(): void {
  const refuse = (name: string) => () => console.error(`asks for ${name} without a gesture`);
  Object.assign(navigator.geolocation, {
    getCurrentPosition: refuse('the position'),
    watchPosition: refuse('the position'),
  });
  Notification.requestPermission = async () => {
    refuse('notifications')();
    return 'default';
  };
}
