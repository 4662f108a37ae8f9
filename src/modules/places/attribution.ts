/** The licence of the data requires it. */
export const attribution = 'GeoNames (https://www.geonames.org), CC BY 4.0';
