/** Reads vector tiles. */
import { VectorTile, type VectorTileFeature, type VectorTileLayer } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';

export type Point = [x: number, y: number];
export type Feature = {
  /** The points of a point feature are one line each. Polygons are lines whose end is their beginning, which they do not repeat. */
  lines: Point[][];
  isPolygon: boolean;
  properties: VectorTileFeature['properties'];
};
/** `extent`: the width of the tile in the units of its points. */
export type Layer = { extent: number; features: Feature[] };

const polygon = 3;

/** @returns the layers by name */
export function readVectorTile(bytes: Uint8Array): Map<string, Layer> {
  const { layers } = new VectorTile(new PbfReader(bytes));
  return new Map(Object.entries(layers).map(([name, layer]) => [name, readLayer(layer)]));
}

const readLayer = (layer: VectorTileLayer): Layer => ({
  extent: layer.extent,
  features: Array.from({ length: layer.length }, (_, i) => readFeature(layer.feature(i))),
});

function readFeature(feature: VectorTileFeature): Feature {
  const isPolygon = feature.type === polygon;
  const lines = feature.loadGeometry().map((line) => line.map(({ x, y }): Point => [x, y]));
  return {
    lines: isPolygon ? lines.map((ring) => ring.slice(0, -1)) : lines,
    isPolygon,
    properties: feature.properties,
  };
}
