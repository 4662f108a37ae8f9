/** What the form of a new event takes from a template. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { exchangeTemplate } from '../../web/src/lib/event/form/template-start.ts';

const item = (title: string, quantity = '1') => ({ title, kind: 'bring', quantity, emoji: '' });
const supper = {
  category: 'food',
  visibility: 'public',
  coverTheme: 'gingham',
  modules: ['bringList', 'booking'],
  items: [item('Bread'), item('Drinks', '4')],
};
const birthday = {
  category: 'party',
  visibility: 'unlisted',
  coverTheme: 'confetti',
  modules: ['bringList', 'wishList', 'booking'],
  items: [item('Cake'), item('Drinks', '6')],
};

test('template: another one replaces all that was not changed, and the one before brings it back', () => {
  const changed = exchangeTemplate(supper, supper, birthday);
  assert.deepEqual(changed, birthday);
  assert.deepEqual(exchangeTemplate(changed, birthday, supper), supper);
});

test('template: what the organizer has entered stays, and no item is suggested twice', () => {
  const entered = {
    ...supper,
    category: 'music',
    modules: ['bringList'],
    items: [item('Lemonade'), item('Bread'), item('Drinks', '9'), item('')],
  };
  const changed = exchangeTemplate(entered, supper, birthday);
  assert.deepEqual(changed, {
    ...birthday,
    category: 'music',
    modules: ['bringList'],
    items: [item('Lemonade'), item('Drinks', '9'), item('Cake')],
  });
  assert.deepEqual(exchangeTemplate(changed, birthday, supper).items, [
    item('Lemonade'),
    item('Drinks', '9'),
    item('Bread'),
  ]);
});
