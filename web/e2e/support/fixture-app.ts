import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BrowserContext, Page, Route } from '@playwright/test';
import { type Answer, answerOf, type Data, jsonAnswer, stringsIn } from './fixture-data';
import { type Lang, textOf } from './languages';
import { pageScript } from './page-script';

/** The folder of the built app. */
const DIST = resolve(process.env.ADFOLIO_WEB_DIST ?? 'dist');

// No server listens there: every request is answered here. Plain http, as in a network without certificates.
const ORIGIN = 'http://adfolio.test';

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
};

export type Opening = { lang: Lang; data: Data; visitor?: boolean };

/**
 * The built app in a browser, its calls answered by the same handlers that the tests of the screens use. Pages are changed
 * inside the loaded app, so a great many of them can be looked at in little time.
 */
export class FixtureApp {
  /** Whatever text an answer held so far: content, none of the app's own. */
  readonly content = new Set<string>();
  /** Calls that no handler of the fixtures answers. */
  readonly unanswered = new Set<string>();
  readonly page: Page;
  private opening: Opening = { lang: 'en', data: 'usual' };
  private refusals = new Map<string, unknown>();
  private patches = new Map<string, Record<string, unknown>>();

  private constructor(page: Page) {
    this.page = page;
  }

  static async start(context: BrowserContext): Promise<FixtureApp> {
    await context.addInitScript(pageScript);
    const app = new FixtureApp(await context.newPage());
    await app.page.route('**/*', (route) => app.answer(route));
    return app;
  }

  get lang(): Lang {
    return this.opening.lang;
  }

  /** Loads the app anew. */
  async load(opening: Opening, path = '/404'): Promise<void> {
    this.opening = opening;
    this.answerAsUsual();
    // The storage belongs to the origin, so it is set from a page of it before the app reads it.
    if (!this.page.url().startsWith(ORIGIN)) await this.page.goto(`${ORIGIN}/robots.txt`);
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
  }

  /** Changes the page, without loading the app anew; what the last page had open or typed is gone. */
  async go(path: string): Promise<void> {
    await this.page.evaluate((to) => window.adfolioPage.go(to), path);
  }

  /** Waits until nothing is on its way any more. */
  async settle(): Promise<void> {
    await this.page.evaluate(() => window.adfolioPage.settle());
  }

  /** Refuses a call from now on, with a text of the app's own as the server would send it. */
  refuse(path: string, code: number, reason: string): void {
    const data = { reason, field: null, lang: this.lang, retry_after: null };
    this.refusals.set(`/api${path}`, { code, msg: this.t('error.session_expired'), data });
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

  private async answer(route: Route): Promise<void> {
    const url = new URL(route.request().url());
    // The pages of contacts, in their frames.
    if (url.origin !== ORIGIN)
      return route.fulfill({ body: '<!doctype html><title>Chat</title>', contentType: 'text/html' });
    if (!url.pathname.startsWith('/api/')) return route.fulfill(fileAnswer(url.pathname));
    const answer = await this.apiAnswer(route, url.pathname);
    await route.fulfill(answer);
  }

  private async apiAnswer(route: Route, path: string): Promise<Answer> {
    const refusal = this.refusals.get(path);
    if (refusal) return this.noted(jsonAnswer(refusal));
    const asked = route.request();
    const body = asked.postDataBuffer();
    const request = new Request(asked.url(), {
      method: asked.method(),
      headers: await asked.allHeaders(),
      ...(body ? { body: new Uint8Array(body) } : {}),
    });
    const answer = await answerOf(request, { ...this.opening, patch: this.patches.get(path) });
    if (answer) return this.noted(answer);
    this.unanswered.add(`${asked.method()} ${path}`);
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

function fileAnswer(path: string): Answer | { path: string; contentType: string } {
  const name = path === '/' ? '/index.html' : path;
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
  try {
    return { body: fileText(name), contentType: type, status: 200 };
  } catch {
    return { body: '', contentType: 'text/plain', status: 404 };
  }
}

const files = new Map<string, string>();

function fileText(name: string): string {
  const known = files.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(resolve(DIST, `.${name}`), 'utf8');
  files.set(name, text);
  return text;
}
