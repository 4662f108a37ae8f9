/**
 * Whether a name is a time zone of the IANA database. `Intl` alone also accepts names of other systems, such as `PST`, which
 * `Temporal` and the API refuse. A browser without `Temporal` leaves these to the server.
 */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    if ('Temporal' in globalThis) Temporal.Now.zonedDateTimeISO(name);
    return name !== '';
  } catch {
    return false;
  }
}
