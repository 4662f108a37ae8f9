/** The search for events: its address, and the filters by what events have or have not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hrefOf, paramsOf, readSearch, type Search } from '../../web/src/lib/discovery/search.ts';
import { traits } from '../../web/src/lib/discovery/traits.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });

test('search: the address of a search has each of its parts, and reading it gives the same search', () => {
  const search: Search = {
    q: 'jazz',
    category: 'music',
    when: 'range',
    from: '2026-12-24',
    to: '2026-12-26',
    tz: 'Europe/Oslo',
    traits: traits.map(({ trait }) => trait),
    isRunning: true,
    place: 'Oslo',
    near: { lat: 59.91, lng: 10.75 },
    radius: 25,
    order: 'relevance',
    view: 'map',
    box: { west: 10.5, south: 59.8, east: 10.9, north: 60 },
    zoom: 11,
    page: 3,
  };
  const empty = readSearch(new URLSearchParams());
  for (const [part, value] of Object.entries(search))
    assert.notDeepEqual(value, empty[part as keyof Search], `${part} differs from its default`);
  assert.deepEqual(readSearch(paramsOf(search)), search);
  assert.equal(hrefOf(empty), '/');
});

/** A page, and its links as their names and addresses. */
async function open(path: string) {
  const response = await fetch(`${api.url}${path}`);
  assert.equal(response.status, 200, path);
  const body = await response.text();
  const links = body.split('<a ').map((part) => {
    const [attributes = '', inner = ''] = [
      part.slice(0, part.indexOf('>')),
      part.slice(part.indexOf('>') + 1),
    ];
    const text = inner
      .split('</a>')[0]
      ?.replaceAll(/<[^>]*>/g, '')
      .trim();
    const attribute = (name: string) =>
      new RegExp(` ?${name}="([^"]*)"`).exec(attributes)?.[1]?.replaceAll('&amp;', '&');
    return `${attribute('aria-label') ?? text}: ${attribute('href')}`;
  });
  return { body, links };
}

for (const { trait, parameter, name, only, others } of traits) {
  const filtered = `/?${parameter}=1`;

  test(`pages: ${trait} has a chip that adds it and one that removes it, a box in the form, and its part of the calendar`, async () => {
    await createEvent(api, await createUser(api));
    assert.ok((await open('/')).links.includes(`${name()}: ${filtered}`), 'the chip that adds it');
    const chips = (await open(filtered)).links;
    assert.ok(chips.includes(`Remove: ${name()}: /`) && chips.includes('All: /'), 'the chips that remove it');
    assert.ok(!chips.includes(`${name()}: ${filtered}`), 'no chip adds it again');
    for (const [path, isChecked] of [
      ['/?filters=1', false],
      [`${filtered}&filters=1`, true],
    ] as const) {
      const { body } = await open(path);
      const box = body.split('<label').find((label) => label.includes(only())) ?? '';
      assert.ok(box.includes(`name="${parameter}"`), path);
      assert.match(box, /type="checkbox"/, path);
      assert.equal(/\bchecked\b/.test(box), isChecked, path);
    }
    const { body } = await open(`/calendar${filtered.slice(1)}`);
    assert.ok(body.includes(`events.ics?${trait}=true`), 'the address of the calendar');
    assert.ok(body.includes(name()), 'the name of the filter beside it');
  });

  test(`pages: a search with ${trait} that finds nothing suggests all events`, async () => {
    const { links } = await open(`${filtered}&q=nothing&near=1,1`);
    assert.ok(links.includes(`${others()}: /?q=nothing&near=1,1`), links.join('\n'));
  });
}
