/** Circles of equal distance around a town, for a map without streets: how far it is from there. */
import type { Feature, FeatureCollection } from 'geojson';
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import type { Colours } from './map-colours.ts';
import { stepsOf } from './map-overlays.ts';
import { discOpacity, discRange, leastRing, ringDashes, ringOpacity, ringRadii } from './map-scale.ts';
import { kmPerDegree, type Place } from './mercator.ts';

const corners = 120;
/** Of a map of a town and its surroundings. */
const leastZoom = 8;

/** Where on a circle its distance may stand, in turns from the north, the best first. */
const turns = [0.5, 0.25, 0.75, 0, 0.375, 0.625, 0.125, 0.875];

/** @param isFree whether a map has room for the distance at a place */
export function ringsAround(
  { lat, lng }: Place,
  language: string,
  isFree: (place: Place) => boolean,
): FeatureCollection {
  const kilometers = new Intl.NumberFormat(language, { style: 'unit', unit: 'kilometer' });
  const at = (km: number, turn: number): [number, number] => [
    lng + ((km / kmPerDegree) * Math.sin(turn * 2 * Math.PI)) / Math.cos((lat * Math.PI) / 180),
    lat + (km / kmPerDegree) * Math.cos(turn * 2 * Math.PI),
  ];
  const labelOf = (km: number) =>
    turns.map((turn) => at(km, turn)).find(([lng, lat]) => isFree({ lat, lng }));
  const features = ringRadii.flatMap((km): Feature[] => [
    {
      type: 'Feature',
      properties: { km },
      geometry: {
        type: 'Polygon',
        coordinates: [Array.from({ length: corners + 1 }, (_, i) => at(km, (i % corners) / corners))],
      },
    },
    ...[labelOf(km)].flatMap((coordinates): Feature[] =>
      coordinates
        ? [
            {
              type: 'Feature',
              properties: { km, text: kilometers.format(km) },
              geometry: { type: 'Point', coordinates },
            },
          ]
        : [],
    ),
  ]);
  return { type: 'FeatureCollection', features };
}

/** Below the names of towns, which have their room first. */
export function ringLayers({ soft, land, road }: Colours): LayerSpecification[] {
  const least = stepsOf(leastRing, ['zoom']);
  const isShown: ExpressionSpecification = ['>=', ['get', 'km'], least];
  const isGround: ExpressionSpecification = ['<=', ['get', 'km'], ['*', discRange, least]];
  const common = { source: 'rings', minzoom: leastZoom, filter: isShown };
  return [
    {
      ...common,
      id: 'ring-grounds',
      type: 'fill',
      filter: ['all', isShown, isGround],
      paint: { 'fill-color': road, 'fill-opacity': discOpacity },
    },
    {
      ...common,
      id: 'rings',
      type: 'line',
      paint: { 'line-color': soft, 'line-opacity': ringOpacity, 'line-dasharray': ringDashes },
    },
    {
      ...common,
      id: 'ring-distances',
      type: 'symbol',
      layout: {
        'text-field': ['get', 'text'],
        'text-font': ['Regular', 'Figtree'],
        'text-size': 12,
        // Its place is free (live-map.ts).
        'text-allow-overlap': true,
      },
      paint: { 'text-color': soft, 'text-halo-color': land, 'text-halo-width': 1.5 },
    },
  ];
}
