/** The licence of the data requires it. */
export const attribution = 'GeoNames (https://www.geonames.org), CC BY 4.0';
/** Of streets, which the geocoder finds. */
export const streetAttribution = 'OpenStreetMap contributors (https://www.openstreetmap.org/copyright), ODbL';
