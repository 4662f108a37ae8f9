/** The geocoder that finds streets: Photon or Nominatim. */
import { isUrl, type Reader } from '../../../config/reader.ts';

/** `typeahead`: whether pages ask it as a person types. */
export type GeocoderConfig = { url: string; typeahead: boolean };

/** @returns undefined if streets are not searched for */
export function readGeocoder(read: Reader): GeocoderConfig | undefined {
  const address = read.text('GEOCODER_URL');
  const typeahead = read.oneOf('GEOCODER_TYPEAHEAD', ['true', 'false'], 'false') === 'true';
  if (address === undefined) return undefined;
  const url = isUrl(address, ['https:', 'http:']) ? new URL(address) : null;
  if (!url || url.username + url.password + url.search + url.hash !== '') {
    read.faults.push(
      'GEOCODER_URL must be an address that starts with https:// or http://, without user and query, such as https://photon.example.org.',
    );
    return undefined;
  }
  return { url: url.href.endsWith('/') ? url.href.slice(0, -1) : url.href, typeahead };
}
