/** Generates places near cities and anywhere on the globe. */
import type { Random } from '../../test/support/random.ts';

export type Point = { lat: number; lng: number };
export type City = Point & { name: string; timezone: string };

export const cities: readonly City[] = [
  { name: 'London', lat: 51.5074, lng: -0.1278, timezone: 'Europe/London' },
  { name: 'Berlin', lat: 52.52, lng: 13.405, timezone: 'Europe/Berlin' },
  { name: 'Madrid', lat: 40.4168, lng: -3.7038, timezone: 'Europe/Madrid' },
  { name: 'Oslo', lat: 59.9139, lng: 10.7522, timezone: 'Europe/Oslo' },
  { name: 'Istanbul', lat: 41.0082, lng: 28.9784, timezone: 'Europe/Istanbul' },
  { name: 'Cairo', lat: 30.0444, lng: 31.2357, timezone: 'Africa/Cairo' },
  { name: 'Lagos', lat: 6.5244, lng: 3.3792, timezone: 'Africa/Lagos' },
  { name: 'Nairobi', lat: -1.2921, lng: 36.8219, timezone: 'Africa/Nairobi' },
  { name: 'Cape Town', lat: -33.9249, lng: 18.4241, timezone: 'Africa/Johannesburg' },
  { name: 'New York', lat: 40.7128, lng: -74.006, timezone: 'America/New_York' },
  { name: 'Chicago', lat: 41.8781, lng: -87.6298, timezone: 'America/Chicago' },
  { name: 'San Francisco', lat: 37.7749, lng: -122.4194, timezone: 'America/Los_Angeles' },
  { name: 'Mexico City', lat: 19.4326, lng: -99.1332, timezone: 'America/Mexico_City' },
  { name: 'São Paulo', lat: -23.5505, lng: -46.6333, timezone: 'America/Sao_Paulo' },
  { name: 'Buenos Aires', lat: -34.6037, lng: -58.3816, timezone: 'America/Argentina/Buenos_Aires' },
  { name: 'Mumbai', lat: 19.076, lng: 72.8777, timezone: 'Asia/Kolkata' },
  { name: 'Singapore', lat: 1.3521, lng: 103.8198, timezone: 'Asia/Singapore' },
  { name: 'Tokyo', lat: 35.6762, lng: 139.6503, timezone: 'Asia/Tokyo' },
  { name: 'Sydney', lat: -33.8688, lng: 151.2093, timezone: 'Australia/Sydney' },
  { name: 'Auckland', lat: -36.8485, lng: 174.7633, timezone: 'Pacific/Auckland' },
];

const earthRadiusKm = 6371;
const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;
/** Rounds to a millionth of a degree, about ten centimetres. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;

/** A random point, uniform within a circle on the sphere. */
export function pointNear(random: Random, { lat, lng }: Point, radiusKm: number): Point {
  const angle = (radiusKm * Math.sqrt(random.next())) / earthRadiusKm;
  const bearing = 2 * Math.PI * random.next();
  const south = radians(lat);
  const there = Math.asin(
    Math.sin(south) * Math.cos(angle) + Math.cos(south) * Math.sin(angle) * Math.cos(bearing),
  );
  const east = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(south),
    Math.cos(angle) - Math.sin(south) * Math.sin(there),
  );
  return { lat: rounded(degrees(there)), lng: rounded(((lng + degrees(east) + 540) % 360) - 180) };
}

/** A random point, uniform on the globe between 50° S and 68° N. */
export function pointAnywhere(random: Random): Point {
  const [low, high] = [Math.sin(radians(-50)), Math.sin(radians(68))];
  const lat = degrees(Math.asin(low + (high - low) * random.next()));
  return { lat: rounded(lat), lng: rounded(random.next() * 360 - 180) };
}
