/** Reads vector tiles (MVT 2): https://github.com/mapbox/vector-tile-spec/tree/master/2.1 */

export type Point = [x: number, y: number];
export type Feature = {
  /** The points of a point feature are one line. */
  lines: Point[][];
  isPolygon: boolean;
  properties: Record<string, string | number>;
};
/** `extent`: the width of the tile in the units of its points. */
export type Layer = { extent: number; features: Feature[] };

type Field = [number: number, value: number | Uint8Array];

const defaultExtent = 4_096;
const utf8 = new TextDecoder();

/** @returns the layers by name */
export function readVectorTile(bytes: Uint8Array): Map<string, Layer> {
  const layers = [...fieldsOf(bytes)].map(([, value]) => readLayer(value as Uint8Array));
  return new Map(layers.map(({ name, ...layer }) => [name, layer]));
}

function readLayer(bytes: Uint8Array): Layer & { name: string } {
  const fields = [...fieldsOf(bytes)];
  const all = (wanted: number) =>
    fields.filter(([number]) => number === wanted).map(([, value]) => value as Uint8Array);
  const keys = all(3).map((key) => utf8.decode(key));
  const values = all(4).map(readValue);
  const extent = fields.find(([number]) => number === 5)?.[1];
  return {
    name: utf8.decode(all(1)[0]),
    extent: typeof extent === 'number' ? extent : defaultExtent,
    features: all(2).map((feature) => readFeature(feature, keys, values)),
  };
}

function readFeature(bytes: Uint8Array, keys: string[], values: (string | number)[]): Feature {
  const parts = new Map(fieldsOf(bytes));
  const packed = (number: number) => {
    const value = parts.get(number);
    return value instanceof Uint8Array ? varintsOf(value) : [];
  };
  const tags = packed(2);
  const properties: Feature['properties'] = {};
  for (let i = 0; i + 1 < tags.length; i += 2)
    properties[keys[tags[i] ?? -1] ?? ''] = values[tags[i + 1] ?? -1] ?? '';
  return { lines: readLines(packed(4)), isPolygon: parts.get(3) === polygon, properties };
}

/** Texts, numbers and truth values, of which a value has one. */
function readValue(bytes: Uint8Array): string | number {
  for (const [number, value] of fieldsOf(bytes)) {
    if (value instanceof Uint8Array) return utf8.decode(value);
    return number === 6 ? signedOf(value) : value;
  }
  return '';
}

const [moveTo, lineTo] = [1, 2];
const polygon = 3;

/** Polygons are lines whose end is their beginning, which they do not repeat. */
function readLines(commands: number[]): Point[][] {
  const lines: Point[][] = [];
  let [x, y] = [0, 0];
  for (let i = 0; i < commands.length; ) {
    const command = commands[i++] ?? 0;
    const id = command & 7;
    if (id !== moveTo && id !== lineTo) continue;
    for (let count = command >>> 3; count > 0; count--) {
      x += signedOf(commands[i++] ?? 0);
      y += signedOf(commands[i++] ?? 0);
      if (id === moveTo) lines.push([]);
      lines.at(-1)?.push([x, y]);
    }
  }
  return lines;
}

/** The number that is stored without a sign: its lowest bit is the sign. */
const signedOf = (zigzag: number): number => (zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2);

/** The fields of a message of protocol buffers. */
function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cursor = { at: 0 };
  while (cursor.at < bytes.length) {
    const key = readVarint(bytes, cursor);
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        yield [number, readVarint(bytes, cursor)];
        break;
      case 1:
        yield [number, view.getFloat64(cursor.at, true)];
        cursor.at += 8;
        break;
      case 2: {
        const length = readVarint(bytes, cursor);
        yield [number, bytes.subarray(cursor.at, cursor.at + length)];
        cursor.at += length;
        break;
      }
      case 5:
        yield [number, view.getFloat32(cursor.at, true)];
        cursor.at += 4;
        break;
      default:
        throw new Error('The bytes are no vector tile.');
    }
  }
}

function varintsOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  for (const cursor = { at: 0 }; cursor.at < bytes.length; ) numbers.push(readVarint(bytes, cursor));
  return numbers;
}

function readVarint(bytes: Uint8Array, cursor: { at: number }): number {
  let [result, factor] = [0, 1];
  for (;;) {
    const byte = bytes[cursor.at++] ?? 0;
    result += (byte % 128) * factor;
    if (byte < 128) return result;
    factor *= 128;
  }
}
