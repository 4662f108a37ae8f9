/**
 * The one layout of all mails, as text and as HTML. Nothing in it is loaded from anywhere: no image, no font, no pixel that counts
 * readers. Mail programs know little CSS, so the HTML is tables with the style of each element in the element. The style sheet in
 * the head is for dark mode alone, and a program that drops it shows the light colours.
 */
import { directionOf, type Language } from '../../web/src/lib/language/languages.ts';
import { escapeHtml } from '../lib/escape-html.ts';

/** A text that leads to a page. */
export type MailLink = { text: string; url: string };

/** What a mail says. All texts are plain. */
export type MailContent = {
  language: Language;
  /** Also the first line that lists of mails show. */
  subject: string;
  heading: string;
  /** Shown large, to be read and copied. */
  code?: string;
  /** An event, with the leaf of a calendar: a month and a day in few letters. */
  event?: { month: string; day: string; title: string; lines: string[] };
  /** The answers to an invitation, the usual one first, in place of the button. The event then stands above all, large. */
  choices?: MailLink[];
  /** What a person wrote. */
  quote?: { by: string; text: string };
  paragraphs?: string[];
  lists?: { title?: string; items: string[] }[];
  button?: MailLink;
  /** Why the person gets the mail, and how to stop it. */
  footer: (string | MailLink)[];
  /** A part that calendar programs read. */
  calendar?: { method: 'REQUEST' | 'CANCEL'; text: string };
  /** The name of the sender, if it is not that of the instance. */
  sender?: string;
  /** Who gets the replies; the sender if it is left out. */
  replyTo?: { name: string; address: string };
  /** The address to which mail programs post so that the person gets no more mails like this (RFC 8058). */
  unsubscribe?: string;
};

export function renderText({
  heading,
  code,
  event,
  quote,
  paragraphs = [],
  lists = [],
  button,
  footer,
}: MailContent): string {
  const blocks = [
    heading,
    code,
    event && [event.title, ...event.lines].join('\n'),
    quote && `${quote.by}:\n${quote.text}`,
    ...paragraphs,
    ...lists.flatMap(({ title, items }) => [title, items.map((item) => `- ${item}`).join('\n')]),
    button && lineOf(button),
    footer.length > 0 ? ['-- ', ...footer.map(lineOf)].join('\n') : '',
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

const lineOf = (line: string | MailLink): string =>
  typeof line === 'string' ? line : `${line.text}:\n${line.url}`;

/** Pairs of text and ground, in the colours of the pages (web/src/lib/styles/tokens.css). Each has a contrast of 4.5 or more. */
export const colours = {
  light: {
    ...{ paper: '#fbf6ee', card: '#fffdf9', line: '#e7dccd', tint: '#f6ead9' },
    ...{ ink: '#221d18', soft: '#6b6157', accent: '#a83c17', onAccent: '#ffffff' },
  },
  dark: {
    ...{ paper: '#171411', card: '#211d19', line: '#3a332c', tint: '#2b2520' },
    ...{ ink: '#f4ece1', soft: '#b3a799', accent: '#ff9d70', onAccent: '#2a0f04' },
  },
};
export const contrasts = [
  ['ink', 'paper'],
  ['ink', 'card'],
  ['ink', 'tint'],
  ['soft', 'paper'],
  ['soft', 'card'],
  ['accent', 'card'],
  ['accent', 'paper'],
  ['accent', 'tint'],
  ['onAccent', 'accent'],
] as const;

const { light, dark } = colours;

/** The classes name what changes in dark mode. */
const darkStyle =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  '@media (prefers-color-scheme:dark){' +
  `.paper{background:${dark.paper}!important;color:${dark.ink}!important}` +
  `.card{background:${dark.card}!important;border-color:${dark.line}!important}` +
  `.tint{background:${dark.tint}!important;color:${dark.ink}!important}` +
  `.soft{color:${dark.soft}!important}.accent{color:${dark.accent}!important}` +
  `.button{background:${dark.accent}!important;color:${dark.onAccent}!important}}`;

const font = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif";

/** @param instance the name of the server, above the mail */
export function renderHtml(content: MailContent, instance: string): string {
  const { language, subject, footer } = content;
  const direction = directionOf(language);
  const side = direction === 'rtl' ? 'right' : 'left';
  return (
    `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8">` +
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">' +
    '<meta name="supported-color-schemes" content="light dark">' +
    `<title>${escapeHtml(subject)}</title><style>${darkStyle}</style></head>` +
    `<body class="paper" style="margin:0;padding:0;background:${light.paper};color:${light.ink}">` +
    `<table role="presentation" class="paper" dir="${direction}" width="100%" cellspacing="0" cellpadding="0" ` +
    `style="background:${light.paper};color:${light.ink};font:16px/1.5 ${font};text-align:${side}">` +
    '<tr><td align="center" style="padding:24px 12px">' +
    '<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width:560px">' +
    `<tr><td style="padding:0 8px 12px;font-weight:600">${userText(instance)}</td></tr>` +
    `<tr><td class="card" style="padding:28px 24px;background:${light.card};border:1px solid ${light.line};border-radius:18px">` +
    `${renderBody(content)}</td></tr>` +
    `<tr><td class="soft" style="padding:16px 8px 0;font-size:13px;color:${light.soft}">` +
    `${footer.map(footerLine).join('<br>')}</td></tr></table></td></tr></table></body></html>\n`
  );
}

function renderBody(content: MailContent): string {
  const { heading, code, event, choices, quote, paragraphs = [], lists = [], button } = content;
  const parts = [
    ...(event && choices
      ? [renderInvitation(heading, event)]
      : [
          `<h1 style="margin:0 0 16px;font-size:24px;line-height:1.25">${userText(heading)}</h1>`,
          code && `<p class="tint" dir="ltr" style="${codeStyle}">${escapeHtml(code)}</p>`,
          event && renderEvent(event),
        ]),
    quote && renderQuote(quote),
    ...paragraphs.map(renderParagraph),
    ...lists.flatMap(({ title, items }) => [title && renderParagraph(title), renderItems(items)]),
    choices ? choices.map(renderChoice).join('') : button && renderButton(button),
  ];
  return parts.filter(Boolean).join('');
}

const renderParagraph = (text: string): string => `<p style="margin:0 0 16px">${userText(text)}</p>`;
const renderItems = (items: string[]): string =>
  `<ul style="margin:0 0 16px;padding:0 20px">${items.map((item) => `<li>${userText(item)}</li>`).join('')}</ul>`;

const codeStyle =
  `margin:0 0 16px;padding:12px;border-radius:12px;background:${light.tint};color:${light.ink};` +
  'font:600 32px/1.25 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;text-align:center';

function renderEvent({ month, day, title, lines }: NonNullable<MailContent['event']>): string {
  const leaf =
    `<td width="56" valign="top"><table role="presentation" class="tint" width="56" cellspacing="0" cellpadding="0" ` +
    `style="border-radius:12px;background:${light.tint};color:${light.ink};text-align:center"><tr><td style="padding:6px 0 8px">` +
    `<div class="accent" style="font-size:12px;line-height:1.3;font-weight:600;color:${light.accent}">${escapeHtml(month)}</div>` +
    `<div style="font-size:22px;line-height:1.2;font-weight:600">${escapeHtml(day)}</div></td></tr></table></td>`;
  const about = lines
    .map((line) => `<div class="soft" style="color:${light.soft}">${userText(line)}</div>`)
    .join('');
  return (
    '<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="margin:0 0 16px"><tr>' +
    `${leaf}<td width="14"></td><td valign="top"><div style="font-weight:600">${userText(title)}</div>${about}</td></tr></table>`
  );
}

/** In the colours of a button. */
function renderInvitation(heading: string, { title, lines }: NonNullable<MailContent['event']>): string {
  const about = lines
    .map((line) => `<div style="font-size:16px;line-height:1.5">${userText(line)}</div>`)
    .join('');
  return (
    '<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="margin:0 0 20px"><tr>' +
    `<td class="button" style="padding:28px 24px;border-radius:14px;background:${light.accent};color:${light.onAccent}">` +
    `<div style="font-size:15px;line-height:1.4">${userText(heading)}</div>` +
    `<h1 style="margin:6px 0 14px;font-size:30px;line-height:1.2">${userText(title)}</h1>${about}</td></tr></table>`
  );
}

const renderQuote = ({ by, text }: NonNullable<MailContent['quote']>): string =>
  `<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="margin:0 0 20px"><tr>` +
  `<td class="tint" style="padding:14px 18px;border-radius:14px;background:${light.tint};color:${light.ink}">` +
  `<div>${userText(text)}</div><div class="accent" style="font-weight:600;color:${light.accent}">– ${userText(by)}</div></td></tr></table>`;

/** The first choice stands out; all are as wide as the mail, so that a thumb finds them. */
const renderChoice = ({ text, url }: MailLink, i: number): string => {
  const [name, ground, ink] =
    i === 0 ? ['button', light.accent, light.onAccent] : ['tint', light.tint, light.ink];
  return (
    `<p style="margin:0 0 10px"><a class="${name}" href="${escapeHtml(url)}" style="display:block;padding:13px 22px;border-radius:999px;` +
    `background:${ground};color:${ink};font-weight:600;text-align:center;text-decoration:none">${userText(text)}</a></p>`
  );
};

const renderButton = ({ text, url }: MailLink): string =>
  `<p style="margin:8px 0 0"><a class="button" href="${escapeHtml(url)}" style="display:inline-block;padding:12px 22px;` +
  `border-radius:999px;background:${light.accent};color:${light.onAccent};font-weight:600;text-decoration:none">` +
  `${userText(text)}</a></p>`;

const footerLine = (line: string | MailLink): string =>
  typeof line === 'string'
    ? userText(line)
    : `<a class="accent" href="${escapeHtml(line.url)}" style="color:${light.accent}">${userText(line.text)}</a>`;

/** The direction of what a person wrote does not change that of the text around it. */
const userText = (text: string): string => `<bdi>${escapeHtml(text).replace(/\n/g, '<br>')}</bdi>`;
