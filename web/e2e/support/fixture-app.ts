import type { BrowserContext, Page } from '@playwright/test';
import { type Answer, answerOf, type Data, jsonAnswer, stringsIn } from './fixture-data';
import { type Lang, messageOf, textOf } from './languages';
import { type Call, pageScript } from './page-script';
import { serveApp } from './static-server';

const origin = await serveApp();

/** How the app is loaded. `fontSize` is that of the whole page, as a user's browser may have it. */
export type Opening = { lang: Lang; data: Data; visitor?: boolean; fontSize?: string };

/** A page that has drawn nothing for so long draws nothing any more. */
const DRAWING_LIMIT_MS = 3_000;

/**
 * The built app in a browser, its calls answered by the same handlers that the tests of the screens use. Pages are changed
 * inside the loaded app, so a great many of them can be looked at in little time.
 */
export class FixtureApp {
  /** Whatever text an answer held so far: content, none of the app's own. */
  readonly content = new Set<string>();
  /** Calls that no handler of the fixtures answers. */
  readonly unanswered = new Set<string>();
  private opening: Opening = { lang: 'en', data: 'usual' };
  private refusals = new Map<string, unknown>();
  private patches = new Map<string, Record<string, unknown>>();

  private constructor(
    private readonly context: BrowserContext,
    private shown: Page,
  ) {}

  static async start(context: BrowserContext): Promise<FixtureApp> {
    await context.addInitScript(pageScript);
    const app = new FixtureApp(context, await context.newPage());
    await context.exposeFunction('adfolioAnswer', (call: Call) => app.answer(call));
    return app;
  }

  /** Another one after `renew`. */
  get page(): Page {
    return this.shown;
  }

  get lang(): Lang {
    return this.opening.lang;
  }

  /** Loads the app anew. */
  async load(opening: Opening, path = '/404'): Promise<void> {
    this.opening = opening;
    this.answerAsUsual();
    // The storage belongs to the origin, so it is set from a page of it before the app reads it.
    if (!this.page.url().startsWith(origin)) await this.page.goto(`${origin}/robots.txt`);
    await this.page.evaluate(
      ({ lang, visitor, to }) => {
        history.replaceState(null, '', to);
        localStorage.clear();
        localStorage.setItem('adfolio.lang', lang);
        if (visitor) return;
        localStorage.setItem('adfolio.token', 'token-1');
        localStorage.setItem('adfolio.entry', 'register');
      },
      { lang: opening.lang, visitor: opening.visitor === true, to: `/#${path}` },
    );
    await this.page.reload();
    await this.settle();
    const { fontSize } = opening;
    // Stronger than the app's own rule, wherever that stands.
    if (fontSize) await this.page.addStyleTag({ content: `:root:root { font-size: ${fontSize} }` });
  }

  /**
   * Whether the page still draws. It was seen that Chromium gave a page no frames any more, also after it was loaded anew:
   * scripts ran on, but whatever waited for a frame waited for ever.
   */
  async draws(): Promise<boolean> {
    return this.page.evaluate(
      (limit) =>
        new Promise<boolean>((done) => {
          requestAnimationFrame(() => done(true));
          setTimeout(() => done(false), limit);
        }),
      DRAWING_LIMIT_MS,
    );
  }

  /** Goes on in a new page, loaded as the one before was. */
  async renew(): Promise<void> {
    await this.page.close();
    this.shown = await this.context.newPage();
    await this.load(this.opening);
  }

  /** Changes the page, without loading the app anew; what the last page had open or typed is gone. */
  async go(path: string): Promise<void> {
    await this.page.evaluate((to) => window.adfolioPage.go(to), path);
  }

  /** Waits until nothing is on its way any more. */
  async settle(): Promise<void> {
    await this.page.evaluate(() => window.adfolioPage.settle());
  }

  /** Refuses a call from now on, as the server would. */
  refuse(path: string, code: number, reason: string): void {
    const data = { reason, field: null, lang: this.lang, retry_after: null };
    this.refusals.set(`/api${path}`, { code, msg: messageOf(this.lang, reason), data });
  }

  /** Lets an answer have other values in some fields from now on. */
  patch(path: string, fields: Record<string, unknown>): void {
    this.patches.set(`/api${path}`, fields);
  }

  /** Answers as usual again. */
  answerAsUsual(): void {
    this.refusals.clear();
    this.patches.clear();
  }

  t(key: string, params?: Record<string, string>): string {
    return textOf(this.lang, key, params);
  }

  private async answer({ url, method, headers, body }: Call): Promise<Answer> {
    const path = new URL(url).pathname;
    const refusal = this.refusals.get(path);
    if (refusal) return this.noted(jsonAnswer(refusal));
    const request = new Request(url, { method, headers, body });
    const answer = await answerOf(request, { ...this.opening, patch: this.patches.get(path) });
    if (answer) return this.noted(answer);
    this.unanswered.add(`${method} ${path}`);
    return jsonAnswer({ code: 500, msg: 'no handler', data: {} }, 501);
  }

  private noted(answer: Answer): Answer {
    if (answer.contentType.includes('json')) {
      for (const text of stringsIn(JSON.parse(answer.body))) {
        // Longer texts are shown as paragraphs and numbered points.
        for (const line of [text, ...text.split('\n')])
          this.content.add(line.replace(/^\d+\.\s+/, '').trim());
      }
    }
    return answer;
  }
}
