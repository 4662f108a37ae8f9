/** The names of the months in the languages in which tables and web pages are written. */
import { fold } from '../../../lib/text.ts';

/**
 * Long and short, standing alone and beside a day ("kwiecień", "3 kwietnia"), folded. They are those of CLDR for English, German, Swedish,
 * Norwegian, Danish, Finnish, Dutch, French, Spanish, Catalan, Portuguese, Italian, Romanian, Polish, Czech, Hungarian, Turkish, Russian,
 * Ukrainian, Greek and Arabic: `Intl` would take a second to name them.
 */
const names = [
  'january jan januar januari tammikuu tammi tammikuuta janvier janv enero ene gener gen janeiro gennaio ianuarie ian styczen sty stycznia leden led ledna ocak oca январь янв января січень січ січня ιανουαριου ιαν يناير',
  'february feb februar februari helmikuu helmi helmikuuta fevrier fevr febrero febrer febr fevereiro fev febbraio februarie luty lut lutego unor uno unora subat sub февраль февр февраля лютии лют лютого φεβρουαριου φεβ فبراير شباط',
  'march mar marz mars marts maaliskuu maalis maaliskuuta maart mrt marzo marc marco martie marzec marca brezen bre brezna marcius mart март марта мар березень бер березня μαρτιου μαρ مارس آذار',
  'april apr huhtikuu huhti huhtikuuta avril avr abril abr aprile aprilie kwiecien kwi kwietnia duben dub dubna aprilis nisan nis апрель апр апреля квітень квіт квітня απριλιου απρ أبريل نيسان',
  'may mai maj toukokuu touko toukokuuta mei mayo maig maio maggio mag maja kveten kve kvetna majus mayis маи мая травень трав травня μαιου μαι مايو أيار',
  'june jun juni kesakuu kesa kesakuuta juin junio juny junho giugno giu iunie iun czerwiec cze czerwca cerven cvn cervna junius haziran haz июнь июня июн червень черв червня ιουνιου ιουν يونيو حزيران',
  'july jul juli heinakuu heina heinakuuta juillet juil julio juliol julho luglio lug iulie iul lipiec lip lipca cervenec cvc cervence julius temmuz tem июль июля июл липень лип липня ιουλιου ιουλ يوليو تموز',
  'august aug augusti elokuu elo elokuuta augustus aout agosto ago agost ag sierpien sie sierpnia srpen srp srpna augusztus agustos agu август авг августа серпень серп серпня αυγουστου αυγ أغسطس آب',
  'september sep sept syyskuu syys syyskuuta septembre septiembre setembre set setembro settembre septembrie wrzesien wrz wrzesnia zari zar szeptember szept eylul eyl сентябрь сент сентября вересень вер вересня σεπτεμβριου σεπ سبتمبر أيلول',
  'october oct oktober okt lokakuu loka lokakuuta octobre octubre outubro out ottobre ott octombrie pazdziernik paz pazdziernika rijen rij rijna ekim eki октябрь окт октября жовтень жовт жовтня οκτωβριου οκτ أكتوبر',
  'november nov marraskuu marras marraskuuta novembre noviembre novembro noiembrie listopad lis listopada listopadu kasim kas ноябрь нояб ноября листопад лист листопада νοεμβριου νοε نوفمبر',
  'december dec dezember dez desember des joulukuu joulu joulukuuta decembre diciembre dic desembre dezembro dicembre decembrie grudzien gru grudnia prosinec pro prosince aralik ara декабрь дек декабря грудень груд грудня δεκεμβριου δεκ ديسمبر',
];

const months = new Map(names.flatMap((list, i) => list.split(' ').map((name) => [name, i + 1] as const)));

/** @returns 1 to 12; undefined for another word */
export const monthOf = (word: string): number | undefined =>
  months.get(fold(word).replaceAll('.', '').trim());
