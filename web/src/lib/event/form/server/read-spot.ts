/** The coordinates of an event: those of its address, or of its town. */
import type { Event } from '@potluck/client';
import type { EventValues } from '#lib/event/form/event-values.ts';
import { m } from '#lib/messages/index.js';
import { distanceKm } from '#lib/places/distance.ts';
import type { ChosenPlace } from '#lib/places/places.ts';
import { toDegrees } from '#lib/places/spot.ts';
import type { FieldErrors } from './event-times.ts';

/** An address this far from the middle of its town is in another one. */
const maxKm = 100;

/** Adds a text to `fields` for a spot that is none, or is far from the town. */
export function readSpot(
  values: Pick<EventValues, 'lat' | 'lng' | 'address'>,
  town: ChosenPlace,
  fields: FieldErrors,
): Pick<Event['location'], 'lat' | 'lng' | 'isExact'> {
  if (values.lat === '' && values.lng === '')
    return {
      lat: town.lat,
      lng: town.lng,
      isExact: town.isExact === true && town.address === values.address,
    };
  const spot = { lat: toDegrees(values.lat, 90), lng: toDegrees(values.lng, 180) };
  for (const axis of ['lat', 'lng'] as const)
    if (Number.isNaN(spot[axis])) fields[`location.${axis}`] = m.organizer_error_degrees();
  if (distanceKm(spot, town) > maxKm)
    fields['location.lat'] = m.organizer_error_far({ town: town.town || town.label });
  return { ...spot, isExact: true };
}
