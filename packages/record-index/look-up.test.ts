import assert from 'node:assert/strict';
import test from 'node:test';
import { newIdAt, packId } from '#base';
import { createIdTable, findId } from './look-up.ts';

const column = (ids: string[]) => Uint8Array.from(Buffer.concat(ids.map(packId)));
/** Ids that differ in the last digits only, as those of generated data. */
const numbered = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

test('findId finds each id at its position and no other id', () => {
  for (const size of [0, 1, 2, 3, 1_000, 20_000]) {
    const at = new Date();
    for (const idOf of [numbered, () => newIdAt(at)]) {
      const all = Array.from({ length: size * 2 }, (_, n) => idOf(n));
      const [present, absent] = [all.slice(0, size), all.slice(size)];
      const ids = column(present);
      const table = createIdTable(ids);
      const prefixed = Uint8Array.from([7, 7, 7, ...ids]);
      for (let doc = 0; doc < size; doc++) assert.equal(findId(table, ids, prefixed, 3 + doc * 16), doc);
      for (const id of [...absent, numbered(2 ** 40)]) assert.equal(findId(table, ids, packId(id), 0), -1);
    }
  }
});

test('createIdTable takes at most 12 bytes for each id, and its look-ups are short', () => {
  for (const size of [1_000, 21_845, 21_846, 43_690]) {
    const table = createIdTable(column(Array.from({ length: size }, (_, n) => numbered(n * 256))));
    assert.ok(table.byteLength <= size * 12 + 16, `${table.byteLength} bytes for ${size} ids`);
    let longest = 0;
    for (let slot = 0, run = 0; slot < table.length; slot++) {
      run = table[slot] === 0 ? 0 : run + 1;
      longest = Math.max(longest, run);
    }
    assert.ok(longest < 200, `${longest} slots in a row for ${size} ids`);
  }
});
