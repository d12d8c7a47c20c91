import type { FixtureApp, Opening } from './fixture-app';
import type { Data } from './fixture-data';
import type { Lang } from './languages';
import type { Screen } from './screens';

export type Visit = { opening: Opening; screens: Screen[] };

/** Groups screens by the state they need, so that the app is reloaded as rarely as possible. */
export function visitsOf(
  screens: readonly Screen[],
  lang: Lang,
  { plenty = 'extreme', fontSize }: { plenty?: Data; fontSize?: string } = {},
): Visit[] {
  const visits = new Map<string, Visit>();
  for (const screen of screens) {
    const data = screen.data ?? plenty;
    const visitor = screen.visitor === true;
    const key = screen.alone ? screen.name : `${data} ${visitor}`;
    const visit = visits.get(key) ?? { opening: { lang, data, visitor, fontSize }, screens: [] };
    visit.screens.push(screen);
    visits.set(key, visit);
  }
  return [...visits.values()];
}

/**
 * Opens a screen and looks at it. Gives what was found, with the screen's name. A screen that cannot be opened or looked
 * at is a finding, too. A page that stopped drawing is replaced once.
 */
export async function lookAt(
  app: FixtureApp,
  screen: Screen,
  look: () => Promise<string[]> = async () => [],
): Promise<string[]> {
  const attempt = async () => {
    await show(app, screen);
    return look();
  };
  const findings = await attempt()
    .catch(async (error) => {
      if (await app.draws()) throw error;
      process.stdout.write(`${screen.name}: the page draws nothing any more, a new one goes on\n`);
      await app.renew();
      return attempt();
    })
    .catch((error) => [`cannot be looked at: ${String(error).slice(0, 400)}`]);
  return findings.map((finding) => `${screen.name}: ${finding}`);
}

async function show(app: FixtureApp, screen: Screen): Promise<void> {
  app.answerAsUsual();
  screen.given?.(app);
  await app.go(screen.path);
  await screen.open?.({ app, page: app.page, t: (key, params) => app.t(key, params) });
  await app.settle();
}
