import type { BrowserContext, Page } from '@playwright/test';
import { type Answer, answerOf, type Data, jsonAnswer, stringsIn } from './fixture-data';
import { type Lang, messageOf, textOf } from './languages';
import { type Call, pageScript } from './page-script';
import { serveApp } from './static-server';

const origin = await serveApp();

/** How the app is loaded. `fontSize` is the root font size that a user may have set in the browser. */
export type Opening = { lang: Lang; data: Data; visitor?: boolean; fontSize?: string };

/** Changes no layout. */
const UNPAINTED = ':root > body, dialog, dialog::backdrop { opacity: 0 !important }';

/** After this time without a frame a page counts as stuck. */
const DRAWING_LIMIT_MS = 3_000;

/**
 * The built app in a browser, with its calls answered by the fixture handlers. Navigates inside the loaded app, because
 * reloading for every screen would take too long.
 */
export class FixtureApp {
  /** Every text of the answers so far. These are content, not the app's own words. */
  readonly content = new Set<string>();
  /** Calls without a fixture handler. */
  readonly unanswered = new Set<string>();
  private opening: Opening = { lang: 'en', data: 'usual' };
  private refusals = new Map<string, unknown>();
  private patches = new Map<string, Record<string, unknown>>();

  private constructor(
    private readonly context: BrowserContext,
    private shown: Page,
    private readonly painted: boolean,
  ) {}

  /** Without painting it measures layout in five sixths of the time; contrast cannot be judged then. */
  static async start(context: BrowserContext, { painted = true } = {}): Promise<FixtureApp> {
    await context.addInitScript(pageScript);
    const app = new FixtureApp(context, await context.newPage(), painted);
    await context.exposeFunction('adfolioAnswer', (call: Call) => app.answer(call));
    return app;
  }

  /** `renew` replaces it. */
  get page(): Page {
    return this.shown;
  }

  get lang(): Lang {
    return this.opening.lang;
  }

  /** Reloads the app. */
  async load(opening: Opening, path = '/404'): Promise<void> {
    this.opening = opening;
    this.answerAsUsual();
    // Storage belongs to the origin, so a page of the origin must set it before the app reads it.
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
    if (!this.painted) await this.page.addStyleTag({ content: UNPAINTED });
    const { fontSize } = opening;
    // The doubled selector outranks the app's own rule in any order.
    if (fontSize) await this.page.addStyleTag({ content: `:root:root { font-size: ${fontSize} }` });
  }

  /**
   * Whether the page still gets frames. Chromium sometimes stops giving a page frames, even after a reload: scripts
   * run, but whatever waits for a frame waits forever. A page that crashed answers nothing.
   */
  async draws(): Promise<boolean> {
    return this.page
      .evaluate(
        (limit) =>
          new Promise<boolean>((done) => {
            requestAnimationFrame(() => done(true));
            setTimeout(() => done(false), limit);
          }),
        DRAWING_LIMIT_MS,
      )
      .catch(() => false);
  }

  /** Continues in a new page with the same opening. */
  async renew(): Promise<void> {
    await this.page.close();
    this.shown = await this.context.newPage();
    await this.load(this.opening);
  }

  /** Navigates inside the loaded app. Dialogs and input of the last page are gone. */
  async go(path: string): Promise<void> {
    await this.page.evaluate((to) => window.adfolioPage.go(to), path);
  }

  /** Waits until all pending calls are answered and drawn. */
  async settle(): Promise<void> {
    await this.page.evaluate(() => window.adfolioPage.settle());
  }

  /** Makes a call fail from now on, as the server would refuse it. */
  refuse(path: string, code: number, reason: string): void {
    const data = { reason, field: null, rule: null, lang: this.lang, retry_after: null };
    this.refusals.set(`/api${path}`, { code, msg: messageOf(this.lang, reason), data });
  }

  /** Overrides fields of an answer from now on. */
  patch(path: string, fields: Record<string, unknown>): void {
    this.patches.set(`/api${path}`, fields);
  }

  /** Removes all refusals and overrides. */
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
        // The app shows long texts as paragraphs and numbered items.
        for (const line of [text, ...text.split('\n')])
          this.content.add(line.replace(/^\d+\.\s+/, '').trim());
      }
    }
    return answer;
  }
}
