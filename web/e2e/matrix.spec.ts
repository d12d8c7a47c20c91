import { readFileSync } from 'node:fs';
import { type BrowserContext, expect, test } from '@playwright/test';
import { FixtureApp } from './support/fixture-app';
import { HTML_LANG, LANGS, type Lang } from './support/languages';
import { SCREENS, screensAt } from './support/screens';
import { lookAt, visitsOf } from './support/visits';
import { Wording } from './support/wording';

const HEIGHT = 844;
const PHONES = [390, 320, 768];
const DESKS = [1440, 1024];
/** A language with long words, one in another script, and one without spaces. */
const ENLARGED: Lang[] = ['de', 'ru', 'th'];
/** Languages with CSS rules of their own, and a width for each of the two layouts. */
const ORDERED: { lang: Lang; width: number }[] = [
  { lang: 'kor', width: 390 },
  { lang: 'jp', width: 1440 },
];

test('every route is looked at', () => {
  const table = readFileSync(new URL('../src/app/routes.ts', import.meta.url), 'utf8');
  const paths = [...table.matchAll(/path: '(.+)'/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(20);
  const seen = new Set(SCREENS.map(({ path }) => path.split('?')[0]));
  expect(paths.filter((path) => !seen.has(path))).toEqual([]);
});

for (const lang of LANGS) {
  test(`${lang}: every screen fits and speaks its language`, async ({ context }) => {
    expect((await faultsAt(PHONES, lang, context)).join('\n')).toBe('');
  });
}

test.describe('on a desk', () => {
  test.use({ viewport: { width: 1440, height: HEIGHT }, hasTouch: false, isMobile: false });

  for (const lang of LANGS) {
    test(`${lang}: every screen fits and speaks its language`, async ({ context }) => {
      expect((await faultsAt(DESKS, lang, context)).join('\n')).toBe('');
    });
  }
});

async function faultsAt(widths: readonly number[], lang: Lang, context: BrowserContext): Promise<string[]> {
  const app = await FixtureApp.start(context, { painted: false });
  const wording = new Wording(lang, app.content);
  const found: string[] = [];
  for (const { opening, screens } of visitsOf(screensAt(widths[0] ?? 0), lang)) {
    await app.load(opening);
    expect(await app.page.locator('html').getAttribute('lang')).toBe(HTML_LANG[lang]);
    for (const screen of screens) {
      found.push(...(await lookAt(app, screen, () => inspected(app, wording, widths))));
    }
  }
  return [...found, ...[...app.unanswered].map((call) => `no fixture answers ${call}`)];
}

for (const lang of ENLARGED) {
  test(`${lang}: every screen fits with its text at 200 %`, async ({ context }) => {
    const app = await FixtureApp.start(context, { painted: false });
    const found: string[] = [];
    const looks = { plenty: 'everything', fontSize: '200%' } as const;
    for (const { opening, screens } of visitsOf(screensAt(PHONES[0] ?? 0), lang, looks)) {
      await app.load(opening);
      expect(await app.page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px');
      for (const screen of screens) {
        const inspect = () => app.page.evaluate(() => window.adfolioPage.inspect());
        found.push(...(await lookAt(app, screen, async () => (await inspect()).findings)));
      }
    }
    expect(found.join('\n')).toBe('');
  });
}

for (const { lang, width } of ORDERED) {
  test(`no look at ${width} px depends on the order in which the stylesheets apply`, async ({ context }) => {
    const app = await FixtureApp.start(context, { painted: false });
    const found: string[] = [];
    await app.page.setViewportSize({ width, height: HEIGHT });
    for (const { opening, screens } of visitsOf(screensAt(width), lang, { plenty: 'everything' })) {
      await app.load(opening);
      for (const screen of screens) {
        const looks = () => app.page.evaluate(() => window.adfolioPage.orderDependentLooks());
        found.push(...(await lookAt(app, screen, looks)));
      }
    }
    expect(found.join('\n')).toBe('');
  });
}

/** Inspects the screen at each width. Begins with the width of the previous screen, because every change costs time. */
async function inspected(app: FixtureApp, wording: Wording, all: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  const said = new Set<string>();
  const widths = app.page.viewportSize()?.width === all.at(-1) ? all.toReversed() : all;
  for (const width of widths) {
    await app.page.setViewportSize({ width, height: HEIGHT });
    const { findings, squeezed, texts } = await app.page.evaluate(() => window.adfolioPage.inspect());
    const own = squeezed
      .filter(({ text }) => !wording.isContent(text))
      .map(({ how, text }) => `“${text}” ${how}`);
    found.push(...[...findings, ...own].map((finding) => `at ${width} px: ${finding}`));
    for (const text of texts) said.add(text);
  }
  return [...found, ...wording.faultsOf([...said])];
}
