/** Records in memory: the structures that find them. */
export {
  type Bitmap,
  BitmapPool,
  bitmapLength,
  clearBit,
  countBlocks,
  hasBit,
  intersectAll,
  type Range,
  setBit,
  subtract,
  uncount,
} from './bitmap.ts';
export { type Box, isInBox } from './box.ts';
export { ByteWriter } from './byte-writer.ts';
export { ChunkedList } from './chunked-list.ts';
export {
  createDictionary,
  type Dictionary,
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
export { compareBytes, createIdTable, findBytes, findId, lowerBound, partitionPoint } from './look-up.ts';
export { RankedBitmap, RecordSet } from './ranked-set.ts';
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
