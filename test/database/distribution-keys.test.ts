/**
 * The first column of the keys of `rowsOf`, `updateRows` and `deleteRows` is the distribution column of the table: packages/pg
 * does not know the tables. With another column, Citus sends the statement to all nodes.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { parseAst } from 'vite';
import { columnOf } from '#pg';
import { distributedTables } from '../../src/schema/distribution.ts';

const cwd = path.join(import.meta.dirname, '..', '..', 'src');

type SyntaxNode = {
  type?: string;
  name?: string;
  value?: unknown;
  id?: { name?: string };
  init?: SyntaxNode;
  expression?: SyntaxNode;
  properties?: { type?: string; key?: { name?: string }; argument?: SyntaxNode }[];
  callee?: { name?: string };
  arguments?: SyntaxNode[];
};

function* nodesIn(node: unknown): Generator<SyntaxNode> {
  if (typeof node !== 'object' || node === null) return;
  yield node as SyntaxNode;
  for (const inner of Object.values(node)) yield* nodesIn(inner);
}

const nodes = globSync('**/*.ts', { cwd, exclude: ['**/*.test.ts'] }).flatMap((file) => [
  ...nodesIn(parseAst(readFileSync(path.join(cwd, file), 'utf8'), { lang: 'ts' })),
]);
const constants = Map.groupBy(
  nodes.filter(({ type, id, init }) => type === 'VariableDeclarator' && id?.name && init),
  ({ id }) => id?.name,
);

/** The first columns that an expression may have; of a name, those of all constants with that name. */
function firstColumns(node: SyntaxNode | undefined): string[] {
  if (!node) return [];
  if (node.type === 'TSAsExpression') return firstColumns(node.expression);
  if (node.type === 'Identifier')
    return (constants.get(node.name) ?? []).flatMap(({ init }) => firstColumns(init));
  const [first] = node.type === 'ObjectExpression' ? (node.properties ?? []) : [];
  if (first?.type === 'SpreadElement') return firstColumns(first.argument);
  return first?.key?.name === undefined ? [] : [columnOf(first.key.name)];
}

const keyOf: Record<string, string> = Object.fromEntries(
  distributedTables.flatMap((group) => Object.entries(group).map(([name, { key }]) => [name, key])),
);

const statements = nodes.flatMap(({ type, callee, arguments: args }) => {
  const isOfKeys = ['rowsOf', 'updateRows', 'deleteRows'].includes(callee?.name ?? '');
  const table = args?.[0]?.value;
  if (type !== 'CallExpression' || !isOfKeys || typeof table !== 'string' || !args?.[2]) return [];
  return [{ table: table.split(' ')[0] ?? '', columns: firstColumns(args[2]) }];
});

test('distribution keys: the keys of each statement begin with the distribution column of its table', () => {
  assert.ok(statements.length > 30, `${statements.length} statements`);
  assert.deepEqual(
    statements.filter(({ table, columns }) => table in keyOf && !columns.includes(keyOf[table] ?? '')),
    [],
  );
});
