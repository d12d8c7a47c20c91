import type { FixtureApp, Opening } from './fixture-app';
import type { Data } from './fixture-data';
import type { Lang } from './languages';
import type { Screen } from './screens';

export type Visit = { opening: Opening; screens: Screen[] };

/** Screens by the state of the app that they need, so that it is loaded as seldom as can be. */
export function visitsOf(screens: readonly Screen[], lang: Lang, plenty: Data = 'extreme'): Visit[] {
  const visits = new Map<string, Visit>();
  for (const screen of screens) {
    const data = screen.data ?? plenty;
    const visitor = screen.visitor === true;
    const key = screen.alone ? screen.name : `${data} ${visitor}`;
    const visit = visits.get(key) ?? { opening: { lang, data, visitor }, screens: [] };
    visit.screens.push(screen);
    visits.set(key, visit);
  }
  return [...visits.values()];
}

/** Goes to a screen; where it cannot be opened, says so and leaves what is there. */
export async function openScreen(app: FixtureApp, screen: Screen, found: string[]): Promise<void> {
  const { page } = app;
  try {
    app.answerAsUsual();
    screen.given?.(app);
    await app.go(screen.path);
    await screen.open?.({ app, page, t: (key, params) => app.t(key, params) });
    await app.settle();
  } catch (error) {
    found.push(`${screen.name}: cannot be opened: ${String(error).slice(0, 400)}`);
  }
}
