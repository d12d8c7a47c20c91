import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { FixtureApp } from './support/fixture-app';
import { SCREENS } from './support/screens';
import { openScreen, visitsOf } from './support/visits';

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test('axe finds nothing on any screen, and every target is large enough', async ({ context }) => {
      const app = await FixtureApp.start(context);
      const found: string[] = [];
      for (const { opening, screens } of visitsOf(SCREENS, 'en')) {
        await app.load(opening);
        for (const screen of screens) {
          await openScreen(app, screen, found);
          const faults = [...(await axeFindings(app.page)), ...(await smallTargets(app.page))];
          found.push(...faults.map((fault) => `${screen.name}: ${fault}`));
        }
      }
      expect(found.join('\n')).toBe('');
    });
  });
}

async function axeFindings(page: Page): Promise<string[]> {
  // In the page itself: nothing here is asked of a second page or of a frame from elsewhere.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
}

/** Whatever can be tapped is at least 44 px in both directions, with the area that its `::after` adds. */
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
        // A tap on the label of a choice is a tap on the choice.
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
