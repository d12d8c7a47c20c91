import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BrowserContext, test } from '@playwright/test';
import { FixtureApp } from './support/fixture-app';
import { LANGS, type Lang } from './support/languages';
import { screensAt } from './support/screens';
import { lookAt, visitsOf } from './support/visits';

const FOLDER = resolve('gallery');
const SIZES = {
  phone: { width: 390, height: 844 },
  small: { width: 320, height: 640 },
  desktop: { width: 1440, height: 900 },
};
const PER_SHEET = 8;

type Series = { name: string; lang: Lang; scheme: 'light' | 'dark'; size: keyof typeof SIZES };
type Picture = { file: string; title: string };

/** `ADFOLIO_GALLERY=en,de,jp` selects languages; `ADFOLIO_GALLERY_SCREENS` selects screens by a word of their name. */
const langs = (process.env.ADFOLIO_GALLERY ?? 'en,de')
  .split(',')
  .filter((code) => LANGS.includes(code as Lang)) as Lang[];
const word = process.env.ADFOLIO_GALLERY_SCREENS ?? '';
const screensOf = (size: keyof typeof SIZES) =>
  screensAt(SIZES[size].width).filter(({ name }) => name.includes(word));

const series: Series[] = [
  ...langs.flatMap((lang): Series[] => [
    { name: `${lang}-light`, lang, scheme: 'light', size: 'phone' },
    { name: `${lang}-dark`, lang, scheme: 'dark', size: 'phone' },
  ]),
  { name: 'en-small', lang: 'en', scheme: 'light', size: 'small' },
  { name: 'en-desktop', lang: 'en', scheme: 'light', size: 'desktop' },
];

for (const one of series) {
  test.describe(one.name, () => {
    test.use({ colorScheme: one.scheme, viewport: SIZES[one.size], isMobile: one.size !== 'desktop' });

    test('pictures of every screen', async ({ context }) => {
      mkdirSync(resolve(FOLDER, one.name), { recursive: true });
      const pictures = await takePictures(context, one);
      await makeSheets(context, one, pictures);
    });
  });
}

test.afterAll(() => {
  const names = screensOf('desktop').map(({ name }) => fileOf(name));
  const rows = names.map((file) => {
    const cells = series.map(
      ({ name, size }) =>
        `<td><img loading="lazy" src="${name}/${file}" height="${SIZES[size].height / 2}" alt=""></td>`,
    );
    return `<tr><th>${file}</th>${cells.join('')}</tr>`;
  });
  const head = series.map(({ name }) => `<th>${name}</th>`).join('');
  writeFileSync(
    resolve(FOLDER, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>Gallery</title>${STYLE}<table><tr><th></th>${head}</tr>${rows.join('')}</table>`,
  );
});

const STYLE =
  '<style>body{font:14px sans-serif;background:#888;margin:8px}th{color:#fff;padding:4px;max-width:9em}td{padding:4px;vertical-align:top}</style>';

async function takePictures(context: BrowserContext, { name, lang, size }: Series): Promise<Picture[]> {
  const app = await FixtureApp.start(context);
  const failed: string[] = [];
  const pictures: Picture[] = [];
  for (const visit of visitsOf(screensOf(size), lang, { plenty: 'everything' })) {
    await app.load(visit.opening);
    for (const screen of visit.screens) {
      failed.push(...(await lookAt(app, screen)));
      const file = fileOf(screen.name);
      await app.page.screenshot({ path: resolve(FOLDER, name, file) });
      pictures.push({ file, title: screen.name });
    }
  }
  if (failed.length > 0) writeFileSync(resolve(FOLDER, name, 'failed.txt'), failed.join('\n'));
  return pictures;
}

const fileOf = (name: string) => `${name.replace(/[^\w]+/g, '-')}.png`;

/** Contact sheets for a quick review. */
async function makeSheets(
  context: BrowserContext,
  { name, size }: Series,
  pictures: Picture[],
): Promise<void> {
  const { width, height } = SIZES[size];
  const columns = size === 'desktop' ? 2 : 4;
  const scale = size === 'desktop' ? 0.5 : 1;
  const page = await context.newPage();
  await page.setViewportSize({ width: Math.round(columns * (width * scale + 16)), height: 800 });
  for (let first = 0; first < pictures.length; first += PER_SHEET) {
    const cells = pictures
      .slice(first, first + PER_SHEET)
      .map(
        ({ file, title }) =>
          `<figure><img src="file://${resolve(FOLDER, name, file)}" width="${width * scale}" height="${height * scale}"><figcaption>${title}</figcaption></figure>`,
      );
    const sheet = `<!doctype html><style>body{margin:0;display:grid;grid-template-columns:repeat(${columns},1fr);gap:8px;background:#777;font:16px sans-serif;color:#fff}figure{margin:0 4px}</style>${cells.join('')}`;
    const file = resolve(FOLDER, name, `sheet-${first / PER_SHEET + 1}`);
    writeFileSync(`${file}.html`, sheet);
    await page.goto(`file://${file}.html`);
    await page.screenshot({ path: `${file}.png`, fullPage: true });
  }
  await page.close();
}
