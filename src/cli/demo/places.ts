/** Places in and around Gothenburg, where the demo takes place. */

type Place = { address: string; lat: number; lng: number };

export const timezone = 'Europe/Stockholm';

export const places = {
  angered: { address: 'Blå Stället, Angereds torg 13, 424 65 Angered', lat: 57.796, lng: 12.049 },
  botaniska: {
    address: 'Botaniska trädgården, Carl Skottsbergs gata 22A, 413 19 Göteborg',
    lat: 57.6823,
    lng: 11.951,
  },
  branno: { address: 'Brännö brygga, 430 85 Brännö', lat: 57.644, lng: 11.779 },
  chalmers: { address: 'Kårhuset, Chalmersplatsen 1, 412 58 Göteborg', lat: 57.689, lng: 11.9785 },
  delsjon: { address: 'Delsjöbadet, Delsjövägen, 412 76 Göteborg', lat: 57.6855, lng: 12.044 },
  dock: { address: 'Dockepiren, Eriksberg, 417 64 Göteborg', lat: 57.7023, lng: 11.9155 },
  feskekorka: { address: 'Feskekôrka, Fisktorget 4, 411 20 Göteborg', lat: 57.7011, lng: 11.9578 },
  folkteatern: { address: 'Folkteatern, Olof Palmes plats, 413 04 Göteborg', lat: 57.6999, lng: 11.953 },
  frihamnen: { address: 'Jubileumsparken, Frihamnen, 417 70 Göteborg', lat: 57.7175, lng: 11.964 },
  frolunda: {
    address: 'Frölunda kulturhus, Valthornsgatan 13, 421 25 Västra Frölunda',
    lat: 57.6535,
    lng: 11.9115,
  },
  gamlestaden: {
    address: 'Gamlestadens fabriker, Gamlestadsvägen 4, 415 02 Göteborg',
    lat: 57.729,
    lng: 12.007,
  },
  haga: { address: 'Haga Nygata 16, 413 01 Göteborg', lat: 57.6983, lng: 11.9571 },
  hagabion: { address: 'Hagabion, Linnégatan 21, 413 04 Göteborg', lat: 57.6962, lng: 11.9527 },
  hammarkullen: {
    address: 'Folkets hus, Hammarkulletorget 62B, 424 37 Angered',
    lat: 57.7795,
    lng: 12.037,
  },
  heden: { address: 'Heden, Parkgatan 51, 411 38 Göteborg', lat: 57.702, lng: 11.9795 },
  keiller: { address: 'Keillers park, Ramberget, 417 05 Göteborg', lat: 57.7165, lng: 11.9325 },
  konstepidemin: { address: 'Konstepidemins väg 6, 413 14 Göteborg', lat: 57.6898, lng: 11.9556 },
  kviberg: { address: 'Kvibergs park, Lilla Regementsvägen 33, 415 28 Göteborg', lat: 57.7357, lng: 12.031 },
  library: { address: 'Stadsbiblioteket, Götaplatsen 3, 412 56 Göteborg', lat: 57.6975, lng: 11.9796 },
  lindholmen: {
    address: 'Lindholmen Science Park, Lindholmspiren 5, 417 56 Göteborg',
    lat: 57.7068,
    lng: 11.939,
  },
  mariaplan: { address: 'Mariaplan 4, 414 78 Göteborg', lat: 57.6862, lng: 11.9147 },
  masthugget: { address: 'Masthuggskyrkan, Storebackegatan 1, 413 18 Göteborg', lat: 57.6975, lng: 11.9362 },
  museum: { address: 'Konstmuseet, Götaplatsen 6, 412 56 Göteborg', lat: 57.6964, lng: 11.9806 },
  musikenshus: { address: 'Musikens hus, Djurgårdsgatan 13, 414 62 Göteborg', lat: 57.6966, lng: 11.9262 },
  oceanen: { address: 'Oceanen, Stigbergstorget 8, 414 63 Göteborg', lat: 57.6992, lng: 11.9336 },
  orgryte: { address: 'Örgryte gamla kyrka, Prästgårdsgatan 2, 412 71 Göteborg', lat: 57.699, lng: 12.011 },
  pustervik: { address: 'Pustervik, Järntorgsgatan 12, 413 01 Göteborg', lat: 57.7003, lng: 11.9519 },
  ringon: { address: 'Järnmalmsgatan 5, Ringön, 417 07 Göteborg', lat: 57.7217, lng: 11.974 },
  rodasten: { address: 'Röda Sten 1, 414 51 Göteborg', lat: 57.6893, lng: 11.9015 },
  saltholmen: { address: 'Saltholmens brygga, 426 76 Västra Frölunda', lat: 57.66, lng: 11.842 },
  saluhallen: { address: 'Saluhallen, Kungstorget, 411 17 Göteborg', lat: 57.7041, lng: 11.9678 },
  selma: {
    address: 'Selma kulturhus, Selma Lagerlöfs torg 24, 422 48 Hisings Backa',
    lat: 57.7455,
    lng: 11.9745,
  },
  skansen: { address: 'Skansen Kronan, Leijonsparres väg 15, 413 05 Göteborg', lat: 57.6958, lng: 11.9558 },
  skatas: { address: 'Skatås motionscentrum, Skatåsvägen 25, 416 55 Göteborg', lat: 57.7036, lng: 12.0388 },
  slakthuset: { address: 'Slakthusgatan 12, 415 02 Göteborg', lat: 57.7225, lng: 12.008 },
  slottsskogen: { address: 'Björngårdsvillan, Slottsskogen, 414 76 Göteborg', lat: 57.685, lng: 11.9427 },
  styrso: { address: 'Styrsö Bratten, 430 84 Styrsö', lat: 57.617, lng: 11.785 },
  tradgarden: { address: 'Trädgårdsföreningen, Slussgatan 1, 411 06 Göteborg', lat: 57.7045, lng: 11.976 },
  valhalla: { address: 'Valhallabadet, Valhallagatan 3, 412 51 Göteborg', lat: 57.703, lng: 11.988 },
  varldskultur: {
    address: 'Världskulturmuseet, Södra vägen 54, 412 54 Göteborg',
    lat: 57.6943,
    lng: 11.9895,
  },
  vasaparken: { address: 'Vasaparken, 411 25 Göteborg', lat: 57.6985, lng: 11.9718 },
} as const satisfies Record<string, Place>;
