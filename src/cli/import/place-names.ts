/** Names that the gazetteer does not know by itself: what else countries, states and cities are called. */

/** Beyond what Intl knows: abbreviations, parts of countries that people give as the country, older names. */
export const countryAliases: Record<string, string> = {
  'u.s.': 'US',
  'u.s.a.': 'US',
  'united states of america': 'US',
  america: 'US',
  'u.k.': 'GB',
  'great britain': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'republic of ireland': 'IE',
  'czech republic': 'CZ',
  holland: 'NL',
  'the netherlands': 'NL',
  'u.a.e.': 'AE',
  'hong kong': 'HK',
  macau: 'MO',
  korea: 'KR',
  'republic of korea': 'KR',
  turkey: 'TR',
  macedonia: 'MK',
  'bosnia and herzegovina': 'BA',
  'ivory coast': 'CI',
  burma: 'MM',
  swaziland: 'SZ',
  'russian federation': 'RU',
  'viet nam': 'VN',
  palestine: 'PS',
};

/**
 * States and provinces, by name and by abbreviation → the code that the gazetteer has for them. They are asked in this
 * order where no country is named: "Perth, WA" is not in Washington, so it is in Western Australia.
 */
export const regions: Record<string, Record<string, string>> = {
  US: regionsOf(`
    alabama, al, AL
    alaska, ak, AK
    arizona, az, AZ
    arkansas, ar, AR
    california, ca, CA
    colorado, co, CO
    connecticut, ct, CT
    delaware, de, DE
    district of columbia, dc, DC
    florida, fl, FL
    georgia, ga, GA
    hawaii, hi, HI
    idaho, id, ID
    illinois, il, IL
    indiana, in, IN
    iowa, ia, IA
    kansas, ks, KS
    kentucky, ky, KY
    louisiana, la, LA
    maine, me, ME
    maryland, md, MD
    massachusetts, ma, MA
    michigan, mi, MI
    minnesota, mn, MN
    mississippi, ms, MS
    missouri, mo, MO
    montana, mt, MT
    nebraska, ne, NE
    nevada, nv, NV
    new hampshire, nh, NH
    new jersey, nj, NJ
    new mexico, nm, NM
    new york, ny, NY
    north carolina, nc, NC
    north dakota, nd, ND
    ohio, oh, OH
    oklahoma, ok, OK
    oregon, or, OR
    pennsylvania, pa, PA
    rhode island, ri, RI
    south carolina, sc, SC
    south dakota, sd, SD
    tennessee, tn, TN
    texas, tx, TX
    utah, ut, UT
    vermont, vt, VT
    virginia, va, VA
    washington, wa, WA
    west virginia, wv, WV
    wisconsin, wi, WI
    wyoming, wy, WY`),
  CA: regionsOf(`
    alberta, ab, 01
    british columbia, bc, 02
    manitoba, mb, 03
    new brunswick, nb, 04
    newfoundland and labrador, nl, 05
    nova scotia, ns, 07
    ontario, on, 08
    prince edward island, pe, 09
    quebec, qc, 10
    saskatchewan, sk, 11`),
  AU: regionsOf(`
    new south wales, nsw, 02
    victoria, vic, 07
    queensland, qld, 04
    south australia, sa, 05
    western australia, wa, 08
    tasmania, tas, 06
    australian capital territory, act, 01
    northern territory, nt, 03`),
};

/** One line for each: name, abbreviation, code. */
function regionsOf(lines: string): Record<string, string> {
  const rows = lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(', '));
  return Object.fromEntries(
    rows.flatMap(([name = '', short = '', code = '']) => [
      [name, code],
      [short, code],
    ]),
  );
}

/** Country of the names, and the names of one city in it; the gazetteer has one of them. */
export const sameCity: [country: string, ...names: string[]][] = [
  ['AT', 'Wien', 'Vienna'],
  ['BE', 'Antwerpen', 'Antwerp', 'Anvers'],
  ['BE', 'Brugge', 'Bruges'],
  ['BE', 'Brussels', 'Brussel', 'Bruxelles'],
  ['BE', 'Gent', 'Ghent', 'Gand'],
  ['BE', 'Leuven', 'Louvain'],
  ['BE', 'Liège', 'Luik', 'Lüttich'],
  ['BE', 'Mechelen', 'Malines'],
  ['CA', 'Montréal', 'Montreal'],
  ['CA', 'Québec', 'Quebec City', 'Quebec'],
  ['CH', 'Basel', 'Basle', 'Bâle'],
  ['CH', 'Bern', 'Berne'],
  ['CH', 'Genève', 'Geneva', 'Genf'],
  ['CH', 'Luzern', 'Lucerne'],
  ['CN', 'Beijing', 'Peking'],
  ['CN', 'Guangzhou', 'Canton'],
  ['CZ', 'Brno', 'Brünn'],
  ['CZ', 'Pilsen', 'Plzeň'],
  ['CZ', 'Prague', 'Praha', 'Prag'],
  ['DE', 'Frankfurt am Main', 'Frankfurt', 'Frankfurt/Main', 'Frankfurt a. M.'],
  ['DE', 'Hannover', 'Hanover'],
  ['DE', 'Köln', 'Koeln', 'Cologne'],
  ['DE', 'Munich', 'München', 'Muenchen'],
  ['DE', 'Marburg an der Lahn', 'Marburg'],
  ['DE', 'Nürnberg', 'Nuremberg'],
  ['DK', 'Copenhagen', 'København', 'Koebenhavn', 'Kopenhagen'],
  ['DK', 'Århus', 'Aarhus'],
  ['EG', 'Cairo', 'Al Qahirah'],
  ['ES', 'A Coruña', 'La Coruña', 'Corunna'],
  ['ES', 'Bilbao', 'Bilbo'],
  ['ES', 'Donostia / San Sebastián', 'San Sebastián', 'Donostia'],
  ['ES', 'Ibiza', 'Eivissa'],
  ['ES', 'Seville', 'Sevilla'],
  ['ES', 'Zaragoza', 'Saragossa'],
  ['FI', 'Helsinki', 'Helsingfors'],
  ['FI', 'Tampere', 'Tammerfors'],
  ['FI', 'Turku', 'Åbo'],
  ['FR', 'Lyon', 'Lyons'],
  ['FR', 'Marseille', 'Marseilles'],
  ['FR', 'Strasbourg', 'Straßburg'],
  ['GB', 'City of London', 'London City'],
  ['GR', 'Athens', 'Athína', 'Athina'],
  ['GR', 'Irákleion', 'Heraklion', 'Iraklio', 'Iraklion'],
  ['GR', 'Thessaloníki', 'Salonica', 'Saloniki'],
  ['HR', 'Dubrovnik', 'Ragusa'],
  ['ID', 'Yogyakarta', 'Jogjakarta'],
  ['IL', 'Tel Aviv', 'Tel Aviv-Yafo', 'Tel-Aviv'],
  ['IN', 'Bengaluru', 'Bangalore'],
  ['IN', 'Chennai', 'Madras'],
  ['IN', 'Gurgaon', 'Gurugram'],
  ['IN', 'Kochi', 'Cochin'],
  ['IN', 'Kolkata', 'Calcutta'],
  ['IN', 'Mumbai', 'Bombay'],
  ['IN', 'Mysore', 'Mysuru'],
  ['IN', 'Pune', 'Poona'],
  ['IN', 'Delhi', 'New Delhi'],
  ['IT', 'Florence', 'Firenze'],
  ['IT', 'Genoa', 'Genova'],
  ['IT', 'Milan', 'Milano', 'Mailand'],
  ['IT', 'Naples', 'Napoli'],
  ['IT', 'Padova', 'Padua'],
  ['IT', 'Rome', 'Roma', 'Rom'],
  ['IT', 'Turin', 'Torino'],
  ['IT', 'Venice', 'Venezia', 'Venedig'],
  ['KR', 'Jeju City', 'Jeju'],
  ['LU', 'Luxembourg', 'Luxemburg'],
  ['MD', 'Chisinau', 'Chișinău', 'Kishinev'],
  ['MT', 'Saint Julian', "St Julian's", 'San Ġiljan'],
  ['MX', 'Mexico City', 'Ciudad de México', 'Mexico DF', 'CDMX'],
  ['NL', 'The Hague', 'Den Haag', "'s-Gravenhage"],
  ['NL', "'s-Hertogenbosch", 'Den Bosch'],
  ['PL', 'Cracow', 'Kraków'],
  ['PL', 'Gdańsk', 'Danzig'],
  ['PL', 'Poznań', 'Posen'],
  ['PL', 'Warsaw', 'Warszawa', 'Warschau'],
  ['PL', 'Wrocław', 'Breslau'],
  ['PT', 'Lisbon', 'Lisboa', 'Lissabon'],
  ['PT', 'Porto', 'Oporto'],
  ['RO', 'Bucharest', 'București'],
  ['RO', 'Cluj-Napoca', 'Cluj'],
  ['RS', 'Belgrade', 'Beograd'],
  ['RU', 'Moscow', 'Moskva', 'Moskau'],
  ['RU', 'Saint Petersburg', 'Sankt-Peterburg'],
  ['SE', 'Göteborg', 'Gothenburg'],
  ['SK', 'Bratislava', 'Pressburg'],
  ['UA', 'Kiev', 'Kyiv', 'Kyyiv'],
  ['UA', 'Kharkiv', 'Kharkov'],
  ['UA', 'Lviv', 'Lvov', 'Lemberg'],
  ['UA', 'Odessa', 'Odesa'],
  ['US', 'New York City', 'New York', 'NYC'],
  ['US', 'Washington, D.C.', 'Washington'],
  ['VN', 'Ho Chi Minh City', 'Saigon'],
];

/** Islands, regions and wards that people give as the place, and the town that stands for them. */
export const chiefTowns: [country: string, town: string, ...regions: string[]][] = [
  ['ES', 'Las Palmas de Gran Canaria', 'Gran Canaria'],
  ['ES', 'Palma', 'Mallorca', 'Majorca'],
  ['ES', 'Santa Cruz de Tenerife', 'Tenerife'],
  ['GR', 'Irákleion', 'Crete'],
  ['ID', 'Denpasar', 'Bali'],
  ['IN', 'Panaji', 'Goa'],
  ['JP', 'Tokyo', 'Chiyoda', 'Chuo', 'Koto', 'Minato', 'Shibuya', 'Shinjuku'],
  ['NL', 'Den Burg', 'Texel'],
];
