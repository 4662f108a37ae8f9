/** The names of columns in tables of Meetup, Eventbrite, Google, Outlook, The Events Calendar, and in those that people write. */
import { fold } from '../../../lib/text.ts';

/**
 * Folded, without punctuation, and without "event" in front. The first name of a list wins over the others: of "Name" and "Event title",
 * the second is the title. The languages are English, German, Swedish, Norwegian and Danish, Dutch, French, Spanish, Portuguese, Italian,
 * Polish, Finnish, Russian and Arabic.
 */
const names = {
  title:
    'title|subject|summary|event|headline|what|titel|betreff|veranstaltungstitel|veranstaltungsname|veranstaltung|termin|was|rubrik|amne|' +
    'evenemang|handelse|aktivitet|vad|tittel|emne|arrangement|begivenhed|aktivitet|onderwerp|evenement|titre|objet|intitule|nom de l evenement|' +
    'titulo|asunto|evento|assunto|titolo|oggetto|tytul|temat|wydarzenie|otsikko|aihe|tapahtuma|название|тема|событие|мероприятие|' +
    'العنوان|عنوان|الموضوع|الحدث|عنوان الحدث|اسم الحدث|name|bezeichnung|namn|navn|naam|nom|nombre|nome|nazwa|nimi|الاسم',
  startDate:
    'start date|startdate|date start|begin date|start datetime|start date time|start date and time|starts on|starts at|startat|startet am|date time|datetime|' +
    'date and time|beginnt am|startdatum|anfangsdatum|beginndatum|datum von|borjar den|startdag|startdato|begindatum|date de debut|date debut|' +
    'fecha de inicio|fecha de comienzo|fecha inicio|data de inicio|data inicio|data di inizio|data inizio|data rozpoczecia|alkamispaiva|' +
    'alkupaiva|дата начала|تاريخ البدء|تاريخ البداية',
  date: 'date|day|when|datum|tag|wann|dag|nar|dato|fecha|dia|data|quando|kiedy|paivamaara|pvm|paiva|milloin|дата|когда|التاريخ|تاريخ|تاريخ الحدث|اليوم|متى',
  start:
    'start|starts|begin|begins|from|beginn|beginnt|anfang|von|startar|borjar|fran|starter|fra|aanvang|van|debut|de|inicio|comienzo|' +
    'desde|inizio|da|poczatek|od|alku|alkaa|начало|البداية|البدء|من',
  startTime:
    'start time|starttime|begin time|time|time from|beginnt um|startzeit|anfangszeit|beginnzeit|uhrzeit|zeit|uhrzeit von|einlass|starttid|tid|' +
    'klockslag|klockan|tidspunkt|klokkeslett|starttidspunkt|begintijd|starttijd|tijd|heure de debut|heure debut|heure|hora de inicio|' +
    'hora de comienzo|hora inicio|hora|ora di inizio|ora inizio|ora|orario|godzina rozpoczecia|godzina|alkamisaika|alkuaika|kellonaika|' +
    'aika|klo|время начала|время|وقت البدء|وقت البداية|الوقت|وقت|الساعة',
  endDate:
    'end date|enddate|date end|end datetime|end date time|end date and time|ends on|ends at|endat|endet am|enddatum|datum bis|slutar den|' +
    'slutdatum|sluttdato|slutdato|einddatum|date de fin|date fin|fecha de fin|fecha de finalizacion|fecha fin|data de termino|data de fim|' +
    'data fim|data di fine|data fine|data zakonczenia|paattymispaiva|loppupaiva|дата окончания|تاريخ الانتهاء|تاريخ النهاية',
  end: 'end|ends|until|to|ende|endet|bis|slut|slutar|till|slutt|slutter|til|einde|tot|fin|hasta|fim|ate|fine|koniec|do|loppu|paattyy|конец|окончание|النهاية|الانتهاء|إلى|الى',
  endTime:
    'end time|endtime|time to|endet um|endzeit|uhrzeit bis|sluttid|sluttidspunkt|eindtijd|heure de fin|heure fin|hora de fin|' +
    'hora de finalizacion|hora fin|hora de termino|hora fim|ora di fine|ora fine|godzina zakonczenia|paattymisaika|loppuaika|время окончания|' +
    'وقت الانتهاء|وقت النهاية',
  allDay:
    'all day|all day event|allday|ganztagiges ereignis|ganztaegiges ereignis|ganztagig|ganztags|heldag|heldagsevenemang|heldagsaktivitet|' +
    'hele dagen|hele dag|duurt hele dag|toute la journee|journee entiere|evenement d une journee|todo el dia|dia inteiro|o dia inteiro|' +
    'tutto il giorno|giornata intera|caly dzien|calodniowe|koko paivan|весь день|طوال اليوم',
  timezone:
    'timezone|time zone|tz|zeitzone|tidszon|tidssone|tidszone|tijdzone|fuseau horaire|zona horaria|fuso horario|fuso orario|strefa czasowa|aikavyohyke|часовой пояс|المنطقة الزمنية',
  description:
    'description|details|notes|body|content|about|excerpt|more information|beschreibung|inhalt|notizen|bemerkungen|beskrivning|information|' +
    'anteckningar|beskrivelse|omschrijving|beschrijving|notities|descriptif|descripcion|descricao|descrizione|opis|kuvaus|описание|الوصف|وصف|تفاصيل',
  location:
    'location|where|place|location name|ort|wo|veranstaltungsort|treffpunkt|plats|var|sted|hvor|locatie|plaats|waar|lieu|ou|ubicacion|lugar|' +
    'donde|local|localizacao|onde|luogo|dove|miejsce|lokalizacja|gdzie|paikka|sijainti|место|где|الموقع|المكان|مكان|الموقع الجغرافي',
  venue: 'venue name|venue|lokal|spielstatte|lokale|recinto',
  street:
    'address|street address|venue address|street|address 1|address line 1|venue address 1|strasse|anschrift|adresse|gata|adress|gatuadress|gate|adres|straat|rue|direccion|calle|endereco|rua|indirizzo|via|ulica|osoite|адрес|العنوان البريدي',
  city: 'city|venue city|town|stadt|gemeinde|stad|postort|by|kommune|gemeente|ville|ciudad|cidade|citta|comune|miasto|kaupunki|город|المدينة',
  region:
    'state|venue state|region|province|venue region|state province|bundesland|kanton|lan|provincie|departement|provincia|estado|regione|wojewodztwo|область',
  postcode:
    'postal code|postcode|zip|zip code|venue zip|plz|postleitzahl|postnummer|code postal|codigo postal|cep|cap|kod pocztowy|postinumero|индекс',
  country: 'country|venue country|land|pays|pais|paese|kraj|maa|страна|البلد|الدولة',
  lat: 'lat|latitude|venue lat|venue latitude|breitengrad|latitud|latitudine',
  lng: 'lng|lon|long|longitude|venue lon|venue longitude|langengrad|longitud|longitudine',
  url: 'url|link|website|web page|webpage|web site|ticket url|tickets|page|webseite|internetseite|webbplats|webbsida|lank|hjemmeside|nettside|lenke|lien|site web|enlace|sitio web|pagina web|sito web|strona|linkki|ссылка|сайт|الرابط|رابط',
  onlineUrl:
    'online url|meeting link|meeting url|video link|virtual link|online link|zoom link|zoom|stream url|videolink|how to find us link|online lank|online event link',
  category:
    'category|categories|type|kategorie|kategorien|kategori|kategorier|categorie|categoria|kategoria|luokka|категория|الفئة|التصنيف',
  price:
    'price|cost|ticket price|entry fee|admission|fee|preis|eintritt|kosten|pris|kostnad|intrade|pris|prijs|prix|tarif|precio|preco|prezzo|costo|cena|hinta|цена|السعر|سعر التذكرة',
  currency: 'currency|currency symbol|wahrung|valuta|devise|moneda|moeda|waluta|valuutta|валюта|العملة',
  status: 'status|state of event|zustand|stato|estado del evento|tila|статус|الحالة',
  visibility:
    'private|visibility|sensitivity|privat|vertraulichkeit|sichtbarkeit|synlighet|prive|confidentiality|privado|privato|prywatne|yksityinen|частное|خاص',
  uid: 'uid|id|ical uid|icaluid',
} as const;

export type Field = keyof typeof names;
/** The columns of a table, by field. */
export type Columns = Map<Field, number>;

const fields = new Map<string, { field: Field; rank: number }[]>();
for (const [field, list] of Object.entries(names) as [Field, string][])
  for (const [rank, name] of list.split('|').entries()) fields.getOrInsert(name, []).push({ field, rank });

/** "Event Start Date (dd/mm/yyyy)" is "start date". An "ID" that is not that of an event is the number of a row. */
function namesOf(heading: string): string[] {
  const words = fold(heading.slice(0, 200))
    .replace(/[([].*$/, ' ')
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  const name = (words ?? []).join(' ');
  if (name === 'id') return [];
  const short = name.replace(/^(?:the )?(?:event|evenemang|evenement|veranstaltungs) /, '');
  return short === name ? [name] : [short, name];
}

/** Finds the columns of a row of headings. Of several columns of a field, the one whose name comes first in the list, then the first. */
export function findColumns(headings: string[]): Columns {
  const found = new Map<Field, { column: number; rank: number }>();
  for (const [column, heading] of headings.entries()) {
    const name = namesOf(heading).find((one) => fields.has(one)) ?? '';
    for (const { field, rank } of fields.get(name) ?? []) {
      const other = found.get(field);
      if (!other || rank < other.rank) found.set(field, { column, rank });
    }
  }
  return new Map([...found].map(([field, { column }]) => [field, column]));
}

export const isTable = (columns: Columns): boolean =>
  columns.has('title') && (['startDate', 'date', 'start'] as const).some((field) => columns.has(field));
