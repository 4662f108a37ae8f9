import { loadCountryNames } from './country-names.ts';
import { readAddress } from './read-address.ts';

/** The town in the address of an event; empty if the address does not name one. */
export async function townIn(address: string): Promise<string> {
  const [likeliest] = readAddress(address, await loadCountryNames());
  const reading = likeliest?.readings.find(({ isGuess }) => !isGuess);
  return reading && (reading.street !== '' || likeliest?.country !== undefined) ? reading.town : '';
}
