import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { splitStatements } from './split-statements.ts';

test('statements: a semicolon ends a statement, unless it is quoted or in a comment', () => {
  assert.deepEqual(
    splitStatements(`
      -- First; with a comment.
      select 'a;''b;', "c;d" from t; /* second; */ select 1; -- last;
      do $$ begin perform 1; perform $x$;$x$; end $$;
      create function f() as $body$ select ';'; $body$;
      -- Nothing; follows.
    `),
    [
      `-- First; with a comment.\n      select 'a;''b;', "c;d" from t`,
      '/* second; */ select 1',
      '-- last;\n      do $$ begin perform 1; perform $x$;$x$; end $$',
      "create function f() as $body$ select ';'; $body$",
    ],
  );
  assert.deepEqual(splitStatements(''), []);
});

test('statements: each statement of each migration is recognized as one', () => {
  const files = globSync('migrations/*.sql', { cwd: import.meta.dirname });
  let count = 0;
  for (const file of files) {
    for (const statement of splitStatements(readFileSync(path.join(import.meta.dirname, file), 'utf8'))) {
      assert.match(statement, /^(--[^\n]*\n|\s)*(create|alter|drop|insert|update|delete|lock|do) /, file);
      count++;
    }
  }
  assert.ok(count > 80, `${count} statements`);
});
