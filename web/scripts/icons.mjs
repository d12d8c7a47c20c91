// Draws the icons of the installed app in public/icons from the logo in public/favicon.svg. The pictures are in the
// repository; run this again when the logo changes. Needs Chromium.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chromium } from '@playwright/test';

const GREEN = '#0b5f50';

/** `inset`: the share of each edge that stays free. A mask may cut everything outside a circle of 80 %. */
const ICONS = [
  { name: 'icon-192', size: 192 },
  { name: 'icon-512', size: 512 },
  { name: 'maskable-512', size: 512, isFilled: true, inset: 0.1 },
  // iOS rounds the corners itself and shows transparency as black.
  { name: 'apple-touch-icon', size: 180, isFilled: true, inset: 0.04 },
  // Of a badge only the shape counts: Android draws it in one colour.
  { name: 'badge-96', size: 96, isShape: true },
];

const at = (path) => new URL(`../public/${path}`, import.meta.url);
const logo = readFileSync(at('favicon.svg'), 'utf8');

/** The page that shows an icon, and nothing else. */
function pageOf({ size, isFilled = false, isShape = false, inset = 0 }) {
  const inner = Math.round(size * (1 - 2 * inset));
  const shape = logo
    .replace(/<rect [^>]*>/, '')
    .replace(/fill="[^"]*"/g, 'fill="#fff"')
    .replace('0 0 32 32', '5 5 22 22');
  const drawn = (isShape ? shape : logo).replace('<svg ', `<svg width="${inner}" height="${inner}" `);
  const background = isFilled ? GREEN : 'transparent';
  return `<body style="margin:0;width:${size}px;height:${size}px;display:grid;place-items:center;background:${background}">${drawn}`;
}

const own = process.env.ADFOLIO_CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({
  ...(existsSync(own) ? { executablePath: own } : {}),
  args: ['--no-sandbox', '--disable-gpu'],
});
mkdirSync(at('icons/'), { recursive: true });
for (const icon of ICONS) {
  const { name, size, isFilled = false } = icon;
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(pageOf(icon));
  writeFileSync(at(`icons/${name}.png`), await page.screenshot({ omitBackground: !isFilled }));
  await page.close();
  console.log(`${name}: ${size} px`);
}
await browser.close();
