/**
 * Addresses as Google Maps, Apple Maps, OpenStreetMap, phones and people write them, with the coordinates of the town from
 * an atlas. Some have a zone, as an entry of a calendar that names one.
 */
export type AddressRow = [address: string, lat: number, lng: number, zone?: string];

export const addresses: Record<string, AddressRow[]> = {
  Argentina: [
    ['Av. Corrientes 1234, C1043AAZ CABA, Argentina', -34.6, -58.38],
    ['San Martín 450, X5000 Córdoba, Argentina', -31.42, -64.18],
    ['Teatro Gran Rex, Av. Corrientes 857, C1043 Cdad. Autónoma de Buenos Aires, Argentina', -34.6, -58.38],
  ],
  Australia: [
    ['Sydney Opera House, Bennelong Point, Sydney NSW 2000, Australia', -33.87, 151.21],
    ['Town Hall, 90 Swanston St, Melbourne VIC 3000', -37.81, 144.96, 'Australia/Melbourne'],
    ['Newcastle City Hall\n290 King St\nNewcastle NSW 2300\nAustralia', -32.92, 151.75],
    ['Fremantle Arts Centre, 1 Finnerty St, Fremantle WA 6160', -32.06, 115.75],
  ],
  Austria: [
    ['Stephansplatz 3, 1010 Wien, Österreich', 48.21, 16.37],
    ['Hauptplatz 1\nA-8010 Graz', 47.07, 15.44],
    ['Mirabellplatz 4, 5020 Salzburg', 47.8, 13.05, 'Europe/Vienna'],
  ],
  Bangladesh: [['Shahbag Rd, Dhaka 1000, Bangladesh', 23.72, 90.41]],
  Belgium: [
    ['Grand-Place, 1000 Bruxelles, Belgique', 50.85, 4.35],
    ['Grote Markt 1, 2000 Antwerpen', 51.22, 4.4],
    ['Place Saint-Lambert 1, 4000 Liège, Belgium', 50.63, 5.57],
  ],
  Brazil: [
    ['Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200, Brazil', -23.55, -46.63],
    ['Praça da Sé, s/n - Centro Histórico, Salvador - BA, 40026-280, Brasil', -12.97, -38.5],
    ['Rua Quinze de Novembro, 100, Curitiba, PR', -25.43, -49.27, 'America/Sao_Paulo'],
  ],
  Bulgaria: [['бул. „Витоша“ 1, 1000 София център, София, България', 42.7, 23.32]],
  Canada: [
    ['290 Bremner Blvd, Toronto, ON M5V 3L9, Canada', 43.67, -79.39],
    ['Marché Bonsecours, 350 Rue Saint-Paul E, Montréal, QC H2Y 1H2', 45.5, -73.57],
    ['Community Centre, 200 King St, London ON N6A 1C9', 42.98, -81.25],
  ],
  Chile: [['Plaza de Armas s/n, 8320000 Santiago, Región Metropolitana, Chile', -33.45, -70.67]],
  China: [
    ['100006 中国北京市东城区王府井大街255号', 39.9, 116.4],
    ['No. 1 Century Ave, Pudong, Shanghai, China, 200120', 31.22, 121.46],
    ['广东省深圳市南山区科技园', 22.54, 114.06],
  ],
  Colombia: [['Cra. 7 #32-16, Bogotá, Colombia', 4.61, -74.08]],
  Croatia: [['Trg bana Josipa Jelačića 1, 10000, Zagreb, Hrvatska', 45.81, 15.98]],
  Czechia: [
    ['Staroměstské nám. 1, 110 00 Praha 1-Staré Město, Česko', 50.09, 14.42],
    ['Náměstí Svobody 1, 602 00 Brno-střed', 49.2, 16.61],
    ['Kulturní dům, Náměstí 5, Telč', 49.18, 15.45, 'Europe/Prague'],
  ],
  Denmark: [
    ['Halmtorvet 11, 1630 København V, Danmark', 55.68, 12.57],
    ['Rådhuspladsen 2, 8000 Aarhus C', 56.16, 10.21],
    ['Kulturhuset, Torvet 1, 4600 Køge', 55.46, 12.18],
  ],
  Egypt: [
    ['Tahrir Square, Ismailia, Qasr El Nil, Cairo Governorate 4272077, Egypt', 30.06, 31.25],
    ['شارع التحرير 12، القاهرة، مصر', 30.06, 31.25],
  ],
  Estonia: [['Raekoja plats 1, 10114 Tallinn, Estonia', 59.44, 24.75]],
  Finland: [
    ['Mannerheimintie 13A, 00100 Helsinki, Suomi', 60.17, 24.94],
    ['Kirjasto, Keskustori 4, 33100 Tampere', 61.5, 23.79],
  ],
  France: [
    ['Salle des fêtes, 12 rue de la Mairie, 38000 Grenoble', 45.17, 5.72],
    ['5 Av. Anatole France\n75007 Paris\nFrance', 48.86, 2.35],
    ['Place du Capitole, 31000 Toulouse, France', 43.6, 1.44],
    ['12 Cours de Vincennes, 94300 Vincennes', 48.85, 2.44],
  ],
  Germany: [
    ['Burghof 1, 52146 Würselen', 50.82, 6.13],
    ['Stadthalle\nHauptstr. 1\n10115 Berlin\nDeutschland', 52.52, 13.4],
    ['Messe (Halle 3), 60327 Frankfurt am Main, Germany', 50.11, 8.68],
    ['Marktplatz, Essen', 51.45, 7.01, 'Europe/Berlin'],
    ['Händel-Haus, Große Nikolaistraße 5, 06108 Halle (Saale)', 51.48, 11.97],
    ['Bürgerhaus, Marktstraße 12, 97070 Würzburg, DE', 49.79, 9.95],
  ],
  Greece: [
    ['Ερμού 1, Αθήνα 105 63, Ελλάδα', 37.98, 23.72],
    ['Aristotelous Square, Thessaloniki 546 24, Greece', 40.64, 22.94],
  ],
  'Hong Kong': [['1 Harbour View St, Central, Hong Kong', 22.28, 114.17]],
  Hungary: [
    ['Budapest, Andrássy út 22, 1061 Magyarország', 47.5, 19.04],
    ['6720 Szeged, Dugonics tér 13', 46.25, 20.15],
  ],
  Iceland: [['Austurbakki 2, 101 Reykjavík, Iceland', 64.14, -21.9]],
  India: [
    ['MG Road, Ashok Nagar, Bengaluru, Karnataka 560001, India', 12.97, 77.59],
    ['Bandra West, Mumbai, Maharashtra 400050, India', 19.07, 72.88],
    ['Connaught Place, New Delhi, Delhi 110001', 28.63, 77.22, 'Asia/Kolkata'],
  ],
  Indonesia: [
    [
      'Jl. M.H. Thamrin No.1, Menteng, Kec. Menteng, Kota Jakarta Pusat, Daerah Khusus Ibukota Jakarta 10310, Indonesia',
      -6.2,
      106.84,
    ],
  ],
  Iran: [['Azadi Square, Tehran, Tehran Province, Iran', 35.69, 51.42]],
  Ireland: [
    ["St Stephen's Green, Dublin 2, D02 HX65, Ireland", 53.34, -6.26],
    ['Parish Centre, Main St, Galway, H91 XY12, Ireland', 53.27, -9.05],
  ],
  Israel: [
    ['דיזנגוף 50, תל אביב-יפו, ישראל', 32.08, 34.78],
    ['Dizengoff St 50, Tel Aviv-Yafo, Israel', 32.08, 34.78],
  ],
  Italy: [
    ['Via del Colosseo 1, 00184 Roma RM, Italia', 41.9, 12.5],
    ['Piazza del Duomo, 20122 Milano MI, Italy', 45.46, 9.19],
    ['Biblioteca comunale, Via Roma 3, 39100 Bolzano (BZ)', 46.5, 11.35],
    ['Palasport, Viale Europa, 47521 Cesena FC', 44.14, 12.24],
  ],
  Japan: [
    ['東京都渋谷区渋谷2-21-1', 35.68, 139.75],
    ['〒220-0012 神奈川県横浜市西区みなとみらい2-3-1', 35.45, 139.65],
    ['1-chōme-9-1 Marunouchi, Chiyoda City, Tokyo 100-0005, Japan', 35.68, 139.75],
    ['日本、〒530-0001 大阪府大阪市北区梅田3丁目1-1', 34.69, 135.5],
  ],
  Kenya: [['Kenyatta Avenue, Nairobi, Kenya', -1.28, 36.82]],
  Latvia: [['Rātslaukums 1, Centra rajons, Rīga, LV-1050, Latvija', 56.95, 24.11]],
  Lithuania: [['Katedros a. 1, 01143 Vilnius, Lietuva', 54.69, 25.28]],
  Luxembourg: [["Place d'Armes, 1136 Ville-Haute Luxembourg, Luxembourg", 49.61, 6.13]],
  Malaysia: [
    [
      'Kuala Lumpur City Centre, 50088 Kuala Lumpur, Federal Territory of Kuala Lumpur, Malaysia',
      3.14,
      101.69,
    ],
  ],
  Mexico: [
    ['Av. Juárez s/n, Centro, Cuauhtémoc, 06050 Ciudad de México, CDMX, Mexico', 19.43, -99.13],
    ['Av. Vallarta 1200, Americana, 44160 Guadalajara, Jal., México', 20.67, -103.35],
  ],
  Morocco: [['Place Jemaa el-Fna, Marrakesh 40000, Morocco', 31.63, -8.0]],
  Netherlands: [
    ['Rokin 75, 1012 LG Amsterdam', 52.37, 4.9],
    ['Dorpshuis, Kerkstraat 1, 1234 AB Bussum, Nederland', 52.27, 5.16],
    ['Domplein 29\n3512 JE Utrecht\nNetherlands', 52.09, 5.12],
    ['Grote Kerkplein 15, 3011GC Rotterdam', 51.92, 4.48],
  ],
  'New Zealand': [
    ['55 Cable Street, Te Aro, Wellington 6011, New Zealand', -41.29, 174.78],
    ['Community Hall, 12 Main Street, Greytown', -41.08, 175.46, 'Pacific/Auckland'],
  ],
  Nigeria: [['Ahmadu Bello Way, Victoria Island, Lagos 106104, Lagos, Nigeria', 6.45, 3.4]],
  Norway: [
    ['Karl Johans gate 22, 0026 Oslo', 59.91, 10.75],
    ['Bibliotek, Strømgaten 6, 5015 Bergen, Norge', 60.39, 5.32],
    ['Room Berlin, 2nd floor, Conference Centre, Oslo', 59.91, 10.75],
  ],
  Peru: [['Jirón de la Unión 300, Lima 15001, Peru', -12.05, -77.04]],
  Philippines: [['Ayala Avenue, Makati, 1226 Metro Manila, Philippines', 14.55, 121.03]],
  Poland: [
    ['Plac Defilad 1, 00-901 Warszawa, Polska', 52.23, 21.01],
    ['Rynek Główny 1, 31-042 Kraków', 50.06, 19.94],
    ['Dom Kultury, ul. Rynek 5, Żywiec', 49.69, 19.19, 'Europe/Warsaw'],
  ],
  Portugal: [
    ['Praça do Comércio, 1100-148 Lisboa, Portugal', 38.72, -9.14],
    ['R. de Santa Catarina 326, 4000-443 Porto', 41.15, -8.61],
  ],
  Romania: [
    ['Strada Lipscani 1, București 030031, România', 44.43, 26.1],
    ['Piața Unirii 30, Cluj-Napoca, Romania', 46.77, 23.6],
  ],
  Russia: [
    ['Тверская ул., 1, Москва, Россия, 125009', 55.75, 37.62],
    ['г. Санкт-Петербург, Невский пр., д. 28', 59.94, 30.31],
  ],
  'Saudi Arabia': [['طريق الملك فهد، الرياض 12271، السعودية', 24.69, 46.72]],
  Serbia: [
    ['Кнез Михаилова 56, Београд 11000, Србија', 44.8, 20.47],
    ['Trg slobode 1, Novi Sad', 45.25, 19.84],
  ],
  Singapore: [['391 Orchard Rd, Singapore 238872', 1.29, 103.85]],
  Slovakia: [
    ['Hlavné námestie 1, 811 01 Bratislava-Staré Mesto, Slovensko', 48.15, 17.11],
    ['Kulturpark Hlavná 2 Košice Slovakia', 48.71, 21.26],
    ['Kongresshotel Košice', 48.71, 21.26],
  ],
  Slovenia: [['Prešernov trg 3, 1000 Ljubljana, Slovenija', 46.05, 14.51]],
  'South Africa': [['Long Street, Cape Town City Centre, Cape Town, 8001, South Africa', -33.92, 18.42]],
  'South Korea': [
    ['서울특별시 강남구 테헤란로 152', 37.57, 126.98],
    ['152 Teheran-ro, Gangnam District, Seoul, South Korea', 37.57, 126.98],
  ],
  Spain: [
    ['Plaça de Catalunya, 08002 Barcelona, España', 41.39, 2.17],
    ['Ateneo, Valencia', 39.47, -0.38, 'Europe/Madrid'],
    ['Calle Real 3, Córdoba', 37.89, -4.78, 'Europe/Madrid'],
    ['Av. del Mar 4, 29602 Marbella, Málaga', 36.51, -4.88],
    ['Casa de cultura, Plaza Mayor, Getafe, Madrid, Spain', 40.31, -3.73],
  ],
  Sweden: [
    ['Götgatan 5, 411 05 Göteborg', 57.71, 11.97],
    ['Town hall\nGothenburg', 57.71, 11.97],
    ['Lisbon (hall), Gothenburg', 57.71, 11.97],
    ['Folkets Hus, Storgatan 1, Sala', 59.92, 16.61, 'Europe/Stockholm'],
  ],
  Switzerland: [
    ['Limmatquai 61, 8001 Zürich, Schweiz', 47.37, 8.54],
    ['Rue du Rhône 14, 1204 Genève', 46.2, 6.15],
  ],
  Taiwan: [
    ['110台北市信義區市府路1號', 25.05, 121.53],
    ['No. 7, Section 5, Xinyi Road, Xinyi District, Taipei City, Taiwan 110', 25.05, 121.53],
  ],
  Thailand: [
    ['999/9 ถนนพระราม 1 แขวงปทุมวัน เขตปทุมวัน กรุงเทพมหานคร 10330', 13.75, 100.5],
    ['Rama I Rd, Pathum Wan, Bangkok 10330, Thailand', 13.75, 100.5],
  ],
  Turkey: [
    ['İstiklal Cd. No:1, 34435 Beyoğlu/İstanbul, Türkiye', 41.01, 28.95],
    ['Atatürk Blv. 12, Kızılay, Çankaya/Ankara', 39.92, 32.85, 'Europe/Istanbul'],
  ],
  Ukraine: [
    ['вул. Хрещатик, 22, Київ, Україна, 01001', 50.45, 30.52],
    ['Площа Ринок 1, Львів', 49.84, 24.02, 'Europe/Kyiv'],
  ],
  'United Arab Emirates': [['Downtown Dubai - Dubai - United Arab Emirates', 25.1, 55.2]],
  'United Kingdom': [
    ["St Mary's Church, High St, Totnes TQ9 5NN", 50.43, -3.69],
    ["St Mary's Church, High St, Totnes, Devon, UK", 50.43, -3.69],
    ['10 Downing St, London SW1A 2AA, UK', 51.51, -0.13],
    ['Old Trafford, Sir Matt Busby Way, Stretford, Manchester M16 0RA', 53.48, -2.24],
    ['Village Hall, Station Road, Bath, Somerset BA1 1SU', 51.38, -2.36],
    ['Arts Centre\nSt Aldates\nOxford\nOX1 1BX\nUnited Kingdom', 51.75, -1.26],
  ],
  'United States': [
    ['City Hall\n200 E Santa Clara St\nSan Jose CA 95113\nUnited States', 37.34, -121.89],
    ['Public Library, 100 Main St, Redwood City CA 94063', 37.49, -122.24],
    ['1600 Amphitheatre Pkwy, Mountain View, CA 94043, USA', 37.39, -122.08],
    ['350 5th Ave, New York, NY 10118', 40.71, -74.01],
    ['Room 4, Cambridge', 42.38, -71.11, 'America/New_York'],
    ['Main Street 5, Birmingham', 33.52, -86.8, 'America/Chicago'],
    ['City stadium, Santa Clara', 37.35, -121.96, 'America/Los_Angeles'],
    ['1600 Pennsylvania Avenue NW, Washington, DC 20500, United States', 38.9, -77.04],
    ['Moscone Center, 747 Howard St, San Francisco, California', 37.77, -122.42],
  ],
  Vietnam: [['1 Đại Cồ Việt, Bách Khoa, Hai Bà Trưng, Hà Nội, Việt Nam', 21.02, 105.84]],
};

/** Texts without a town that a list of towns can know, or with several: nothing may be guessed. */
export const doubtfulAddresses: [text: string, zone?: string][] = [
  ['Hall A'],
  ['Parish hall', 'Europe/Stockholm'],
  ['https://meet.example.org/abc'],
  ['High Street, Richmond', 'Europe/London'],
  ['Room Berlin', 'Europe/Oslo'],
  ['Besprechungsraum München', 'Europe/Berlin'],
  ['Turnhalle'],
  ['Halle', 'Europe/Berlin'],
  ['Kastanjegatan 14', 'Europe/Stockholm'],
  ['Main Street 5, Springfield'],
  ['TBA'],
  ['Hall B, second floor'],
  ['Hall B, second floor', 'Europe/Berlin'],
  ['Main building, Hall'],
  ['Online', 'Europe/London'],
  ['Ateneo, Valencia', 'Asia/Tokyo'],
  ['Pizzeria Napoli', 'Europe/Rome'],
  ['Pitch 2', 'Europe/London'],
  [''],
];
