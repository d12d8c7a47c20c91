import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { FixtureApp } from './support/fixture-app';
import { screensAt } from './support/screens';
import { lookAt, visitsOf } from './support/visits';

/** Only these rules depend on colours. All other rules find the same in dark and light mode. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

test('axe finds nothing on any screen, in light and dark, and every target is large enough', async ({
  context,
  viewport,
}) => {
  const app = await FixtureApp.start(context);
  const found: string[] = [];
  for (const { opening, screens } of visitsOf(screensAt(viewport?.width ?? 0), 'en')) {
    await app.load(opening);
    for (const screen of screens) {
      found.push(...(await lookAt(app, screen, () => faultsOf(app.page))));
    }
  }
  expect(found.join('\n')).toBe('');
});

async function faultsOf(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const faults = [...(await axeFindings(axe(page))), ...(await smallTargets(page))];
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await axeFindings(axe(page).withRules(COLOUR_RULES));
  return [...faults, ...dark.map((fault) => `dark: ${fault}`)];
}

/** Runs axe inside the page, without frames and without a second page. */
function axe(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode();
}

async function axeFindings(builder: AxeBuilder): Promise<string[]> {
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
}

/** Every tap target is at least 44 px wide and high, including the area that its `::after` adds. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scope = document.querySelector('dialog[open]') ?? document.body;
    const targets = scope.querySelectorAll<HTMLElement>(
      'a[href], button, select, summary, input, textarea, [role="tab"], [role="option"]',
    );
    return [...targets]
      .filter((target) => target.checkVisibility() && getComputedStyle(target).clipPath !== 'inset(50%)')
      .map((target) => {
        const stretched = getComputedStyle(target, '::after').position === 'absolute';
        const box = (stretched ? (target.offsetParent ?? target) : target).getBoundingClientRect();
        // A tap on the label selects the choice.
        const label = target.matches('[type="radio"], [type="checkbox"]') ? target.closest('label') : null;
        const { width, height } = label?.getBoundingClientRect() ?? box;
        return {
          text: (target.getAttribute('aria-label') ?? target.textContent ?? '').trim(),
          width,
          height,
        };
      })
      .filter(({ width, height }) => height < 43.9 || width < 43.9)
      .map(
        ({ text, width, height }) =>
          `small target “${text}”: ${Math.round(width)} × ${Math.round(height)} px`,
      );
  });
}
