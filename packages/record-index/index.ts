/** Records in memory: the structures that find them. */
export {
  type Bitmap,
  bitmapLength,
  clearBit,
  countBlocks,
  hasBit,
  intersectAll,
  type Range,
  RankedBitmap,
  setBit,
  subtract,
  uncount,
} from './bitmap.ts';
export { type Box, isInBox } from './box.ts';
export { ByteWriter } from './byte-writer.ts';
export { ChunkedList } from './chunked-list.ts';
export {
  compareBytes,
  createDictionary,
  type Dictionary,
  findBytes,
  findWord,
  prefixRange,
  wordAt,
} from './dictionary.ts';
export { editDistance, mayBeNear, signatureOf } from './edit-distance.ts';
export {
  type Band,
  boxBands,
  boxCells,
  type Circle,
  cellOf,
  circleBands,
  circleCells,
} from './grid-cells.ts';
export { createIdTable, findId } from './id-table.ts';
export { lowerBound, partitionPoint } from './lower-bound.ts';
export {
  type Cap,
  type Coordinates,
  capOf,
  degrees,
  distanceKm,
  earthRadiusKm,
  farthestKm,
  isPointInCap,
  kmOfChord,
  type Point,
  radians,
  squaredChordTo,
  toPoint,
} from './sphere.ts';
export { findSymbols, SymbolEncoder, type TextWithId } from './symbols/symbol-encoder.ts';
export { packSymbols, SymbolDecoder, type Symbols } from './symbols/symbol-table.ts';
export { WordTable } from './word-table.ts';
