/**
 * Compiles the serializers of responses. Fastify's own compiler compiles a serializer for each route and status, and
 * each time checks all named schemas of the app. That took half of the start of a server: many routes share a schema,
 * and a schema refers to few others.
 */
import fastJson, { type Schema } from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { namedSchema } from './schemas.ts';

type Serializer = (value: unknown) => string;

const serializers = new WeakMap<object, Serializer>();

export function registerSerialization(app: FastifyInstance): void {
  app.setSerializerCompiler<TSchema>(({ schema }) => serializerOf(schema));
}

/**
 * Returns the serializer of a schema, which is compiled once in a process, for the first value: most of a server's
 * schemas are used long after its start, and some never. The value must have the schema's type.
 */
export function serializerOf(schema: TSchema): Serializer {
  return serializers.getOrInsertComputed(schema, () => {
    let compiled: Serializer | undefined;
    return (value) => {
      compiled ??= fastJson(withNullables(schema) as Schema, { schema: referencedSchemas(schema) });
      return compiled(value);
    };
  });
}

/**
 * Replaces `S or null` by `S` with `nullable`: for a union the serializer calls a validator with each value, which takes
 * longer than the serialization of a short text.
 */
function withNullables(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullables);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withNullables(value)]));
  const { anyOf, ...others } = copy as { anyOf?: { type?: string; $ref?: string }[] };
  const [only, none] = anyOf ?? [];
  if (!only || anyOf?.length !== 2 || none?.type !== 'null') return copy;
  return { ...others, ...(only.$ref ? copyOfNamed(only.$ref) : only), nullable: true };
}

/** A schema in the place of its reference, from which the serializer would take `nullable`. */
function copyOfNamed(reference: string): object {
  const { $id: _, ...schema } = withNullables(namedSchema(nameIn(reference))) as { $id?: string };
  return schema;
}

const nameIn = (reference: string): string => reference.replace(/#$/, '');

/** The named schemas that a schema refers to, directly or through others, by name. */
function referencedSchemas(schema: TSchema): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    waiting.push(...Object.values(node));
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref !== 'string') continue;
    const name = nameIn($ref);
    const target = namedSchema(name);
    if (!target || target === schema || found[name]) continue;
    found[name] = withNullables(target) as Schema;
    waiting.push(target);
  }
  return found;
}
