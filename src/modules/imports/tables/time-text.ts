/** Times of day, as people and programs write them: 18:00, 6 pm, 18.30 Uhr, 18h30, 18:00–20:00. */

/** `end`: of a range. `zone`: what stands behind the time, such as a name or an offset; empty for nothing. */
export type TimeText = { time: Temporal.PlainTime; end: Temporal.PlainTime | null; zone: string };

const afternoon = /^(?:p\.?\s?m\.?|p|em|下午|晚上|午後|오후|م|μμ|μ\.μ\.)$/;
const morning = /^(?:a\.?\s?m\.?|a|fm|上午|早上|午前|오전|ص|πμ|π\.μ\.)$/;
const halves =
  'a\\.?\\s?m\\.?|p\\.?\\s?m\\.?|[ap](?![\\p{L}])|fm|em|上午|早上|下午|晚上|午前|午後|오전|오후|ص|م|μμ|πμ|π\\.μ\\.|μ\\.μ\\.';
const clock = new RegExp(
  `^(?:(${halves})\\s?)?(\\d{1,2})(?:\\s?[:.h時시点]\\s?(\\d{1,2})?(?:[:.分분]\\s?(\\d{1,2})?(?:[.,]\\d{1,9})?)?)?(?![\\d])\\s?(${halves})?(?![\\p{L}\\d])`,
  'u',
);
const fourDigits = /^([01]\d|2[0-4])([0-5]\d)(?![\d:.])/;
/** Words in front of a time and behind it. */
const before = /^(?:at|um|ab|from|von|kl\.?|klo|klockan|à|de|a las|alle|ore|om|às|o|о|в|@)\s+/u;
const behind = /^(?:uhr|h|hs|hrs|uur|óra|година|год|ч)\.?(?![\p{L}])/u;
const between =
  /^\s?(?:-|–|—|~|to(?=\s)|until(?=\s)|till(?=\s)|til(?=\s)|bis(?=\s)|tot(?=\s)|à(?=\s)|a(?=\s)|al(?=\s)|do(?=\s)|kl(?=\s)|إلى)\s?/u;

type Clock = { hours: number; minutes: number; seconds: number; half: string };

/**
 * @param text in lower case
 * @returns null for a text that is no time
 */
export function readTime(text: string): TimeText | null {
  const first = readClock(text.trim());
  if (!first) return null;
  const separator = between.exec(first.rest);
  const second = separator ? readClock(first.rest.slice(separator[0].length)) : null;
  // "6–8 pm": the half of the day is that of both.
  const half =
    first.clock.half || (second && first.clock.hours <= second.clock.hours ? second.clock.half : '');
  const time = toTime({ ...first.clock, half });
  const end = second ? toTime(second.clock) : null;
  if (!time || (second && !end)) return null;
  const zone = (second ? second.rest : first.rest).trim();
  return zone.length > 60 ? null : { time, end, zone: zone.replace(/^\((.*)\)$/, '$1') };
}

function readClock(text: string): { clock: Clock; rest: string } | null {
  const start = before.exec(text)?.[0].length ?? 0;
  const written = text.slice(start);
  const digits = fourDigits.exec(written);
  const [all, early = '', hours, minutes, seconds, late = ''] = digits
    ? [digits[0], '', digits[1], digits[2]]
    : (clock.exec(written) ?? []);
  if (all === undefined || hours === undefined) return null;
  const rest = written.slice(all.length).trimStart().replace(behind, '').trimStart();
  const [h, m, s] = [hours, minutes, seconds].map((number) => Number(number ?? 0)) as [
    number,
    number,
    number,
  ];
  return { clock: { hours: h, minutes: m, seconds: s, half: early || late }, rest };
}

/** 24:00 is midnight, too. */
function toTime({ hours, minutes, seconds, half }: Clock): Temporal.PlainTime | null {
  const shift = afternoon.test(half) && hours < 12 ? 12 : morning.test(half) && hours === 12 ? -12 : 0;
  const hour = hours + shift;
  if (hour > 24 || minutes > 59 || seconds > 59 || (hour === 24 && minutes > 0)) return null;
  return new Temporal.PlainTime(hour % 24, minutes, seconds);
}
