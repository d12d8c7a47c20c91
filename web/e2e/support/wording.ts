import { type Lang, OTHER_SCRIPTS, textsOf } from './languages';

/** Words that are the same in every language: names, file formats, product names. */
const NAMES =
  /\b(Adfolio|VIP|FAQ|ID|USD|USDT|TRC-?20|ERC-?20|BEP-?20|PNG|JPE?G|WebP|GIF|MB|CSV|CTR|CPC|ROAS|IBAN|SWIFT|BIC|English|Deutsch|Français|Español|Português|Tiếng Việt)\b/g;

const ENGLISH_DATE =
  /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|January|February|March|April|June|July|August|September|October|November|December|Mon|Tue|Wed|Thu|Fri|Sat|Sun|AM|PM)\b/;

/** Finds texts of a page that are not in its language. */
export class Wording {
  private readonly lang: Lang;
  /** The texts of the server's answers so far. */
  private readonly content: ReadonlySet<string>;
  private readonly keys: Set<string>;
  /** English texts that the language translates, with their keys. Texts with placeholders are kept apart. */
  private readonly english = new Map<string, string>();
  private readonly englishPatterns: { pattern: RegExp; key: string }[] = [];

  constructor(lang: Lang, content: ReadonlySet<string>) {
    this.lang = lang;
    this.content = content;
    const en = textsOf('en');
    this.keys = new Set([...en.keys()].flatMap((key) => [key, key.replace(/_(one|other)$/, '')]));
    const own = new Set([...textsOf(lang).values()].map((text) => text.toLowerCase()));
    for (const [key, text] of lang === 'en' ? [] : en) {
      if (own.has(text.toLowerCase()) || !/[A-Za-z]{2,}/.test(text.replace(/{{\w+}}/g, ''))) continue;
      if (text.includes('{{')) this.englishPatterns.push({ key, pattern: patternOf(text) });
      else this.english.set(text, key);
    }
  }

  /** Whether a text is only server content and punctuation. */
  isContent(text: string): boolean {
    return !/\p{L}/u.test(this.withoutContent(text));
  }

  faultsOf(texts: readonly string[]): string[] {
    return [...new Set(texts)].flatMap((text) => {
      const fault = this.faultOf(text);
      return fault ? [`${fault}: “${text.slice(0, 120)}”`] : [];
    });
  }

  private faultOf(text: string): string | null {
    if (/{{|}}/.test(text)) return 'a placeholder is left';
    const key = (text.match(/[a-z0-9_]+(\.[a-z0-9_]+)+/g) ?? []).find((token) => this.keys.has(token));
    if (key) return `no text for ${key}`;
    const left =
      this.english.get(text) ?? this.englishPatterns.find(({ pattern }) => pattern.test(text))?.key;
    if (left && !this.isContent(text)) return `left in English (${left})`;
    return this.foreignIn(text) && this.foreignIn(this.withoutContent(text));
  }

  private foreignIn(text: string): string | null {
    if (this.lang === 'th' && /\b25[67]\d\b/.test(text)) return 'a Buddhist year';
    if (!OTHER_SCRIPTS.includes(this.lang)) return null;
    const words = text.replace(NAMES, ' ');
    if (ENGLISH_DATE.test(words)) return 'an English date';
    return /[A-Za-z]{2,}[ \u00a0]+[A-Za-z]{2,}/.test(words) ? 'English words' : null;
  }

  private withoutContent(text: string): string {
    let own = text;
    for (const known of [...this.content]
      .filter((each) => each.length > 2)
      .sort((a, b) => b.length - a.length)) {
      own = own.replaceAll(known, ' ');
    }
    return own;
  }
}

/** Matches a text with anything in its placeholders. */
function patternOf(text: string): RegExp {
  const escaped = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${text
      .split(/{{\w+}}/)
      .map(escaped)
      .join('.+')}$`,
  );
}
