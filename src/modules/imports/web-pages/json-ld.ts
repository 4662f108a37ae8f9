/** Values of JSON-LD. Pages write one value or a list of them, and texts as objects. */

export type Node = Record<string, unknown>;

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list may have a lot in it; of the values of a property, some are read. */
const maxValues = 100;
export const valuesOf = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value.slice(0, maxValues) : [value];

const maxText = 64 * 1024;

/** The first text of a property; empty without one. */
export function textIn(node: Node, ...names: string[]): string {
  for (const name of names)
    for (const value of valuesOf(node[name])) {
      const text = isNode(value) ? value['@value'] : value;
      if (typeof text === 'string' && text.trim() !== '')
        return text.slice(0, maxText).replaceAll('\0', '').trim();
      if (typeof text === 'number') return String(text);
    }
  return '';
}

/** The names of its types, without the vocabulary: "https://schema.org/MusicEvent" is "MusicEvent". */
export const typesOf = (node: Node): string[] =>
  valuesOf(node['@type']).flatMap((type) => (typeof type === 'string' ? [localName(type)] : []));

/** Of an address or a prefixed name, what is behind the vocabulary. */
export const localName = (name: string): string => /[^/#:]*$/.exec(name.trim().slice(-200))?.[0] ?? '';

/** Objects by `@id`: others refer to them. */
export type References = ReadonlyMap<string, Node>;

/** Whether an object says nothing of its own besides its type. */
export const isReference = (node: Node): boolean => Object.keys(node).length <= 2;

/** The objects of a property, and those that it refers to. Texts stay. */
export const objectsOf = (value: unknown, references: References): unknown[] =>
  valuesOf(value).map((one) => {
    const id = isNode(one) && isReference(one) ? one['@id'] : undefined;
    return (typeof id === 'string' && references.get(id)) || one;
  });
