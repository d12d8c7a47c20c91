// Computes from the build what a page costs in JavaScript. `e2e/first-load.spec.ts` proves for the login that a browser
// fetches just these files.
import { existsSync, readFileSync } from 'node:fs';

const built = (path) => {
  const file = new URL(`./dist/${path}`, import.meta.url);
  if (!existsSync(file)) throw new Error(`${path} is not built: run \`npm run build\` first`);
  return readFileSync(file, 'utf8');
};
const { fileOf, imports } = JSON.parse(built('.vite/chunks.json'));
const html = built('index.html');

/** The files that have the given modules, and all files that these import statically. */
function scriptsOf(...modules) {
  return scriptsIn({ fileOf, imports }, modules);
}

function scriptsIn({ fileOf, imports }, modules) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const imported of imports[file] ?? []) visit(imported);
  };
  for (const module of modules) {
    if (!fileOf[module]) throw new Error(`not in the build: ${module}`);
    visit(fileOf[module]);
  }
  return [...found];
}

/** What `index.html` itself loads. */
const linked = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file);

const textsOf = (code, part) => `src/i18n/packs/${code}.json?part=${part}`;
const ofLogin = ['src/boot.ts', 'src/main.tsx', 'src/features/auth/pages/login.tsx', textsOf('en', 'first')];
const first = [...new Set([...linked, ...scriptsOf(...ofLogin)])];
/** What every page of a user loads besides itself: the frame, which is in one file with the main pages. */
const ofUser = scriptsOf('src/app/user-frame.tsx').filter((file) => !first.includes(file));
const modules = Object.keys(fileOf);
const pages = modules.filter((module) => /^src\/(features|app)\/.*pages\/.*\.tsx$/.test(module));
const languages = modules.flatMap(
  (module) => /^src\/i18n\/packs\/(\w+)\.json\?part=first$/.exec(module)?.[1] ?? [],
);
// Cyrillic and Thai take two and three bytes a letter.
const PARTS = { first: '6 kB', main: '7 kB', desk: '2 kB', placing: '2 kB', rest: '12 kB' };

/** What is there before a plan's page loads the rest of itself. */
const ofPlan = [...first, ...ofUser, ...scriptsOf('src/features/plan/pages/plan-detail.tsx')];

/** What only a wide window loads, and the page that loads it. */
const DESK = {
  'src/features/plan/desk/plans-desk.tsx': 'src/features/plan/pages/plans.tsx',
  'src/features/plan/desk/plan-split.tsx': 'src/features/plan/pages/plan-detail.tsx',
  'src/features/plan/placing/desk/placements-table.tsx': 'src/features/plan/placing/placing-cards.tsx',
  'src/features/wallet/desk/funds-desk.tsx': 'src/features/wallet/pages/fund-details.tsx',
  'src/domain/delivery/desk/metric-chart.tsx': 'src/features/ad-center/pages/ad-center.tsx',
};

/** The staff console, a build of its own. */
const staff = JSON.parse(built('.vite/console-chunks.json'));
const ofConsole = scriptsIn(staff, ['src/console/main.tsx']);
const consolePages = Object.keys(staff.fileOf).filter((module) => module.startsWith('src/console/pages/'));
const lazyPages = consolePages.filter((module) => !ofConsole.includes(staff.fileOf[module]));
if (lazyPages.length === 0) throw new Error("the console's pages are all in its first load");
if (modules.some((module) => module.startsWith('src/console/')))
  throw new Error("the advertisers' app has modules of the console");

const budget = (name, files, limit) => ({
  name,
  path: files.map((file) => `dist/${file}`),
  limit,
  gzip: true,
  brotli: false,
});

export default [
  budget('first load of the console', ofConsole, '250 kB'),
  budget('first load of the login', first, '135 kB'),
  budget('main pages of a user', ofUser, '22 kB'),
  ...pages
    .map((page) => [page, scriptsOf(page).filter((file) => !first.includes(file) && !ofUser.includes(file))])
    .filter(([, files]) => files.length > 0)
    .map(([page, files]) => budget(`further: ${page.replace(/^src\//, '')}`, files, '8 kB')),
  ...Object.entries(DESK).map(([module, page]) => {
    const known = [...first, ...scriptsOf(page)];
    const files = scriptsOf(module).filter((file) => !known.includes(file));
    return budget(`desk: ${module.replace(/^src\//, '')}`, files, '10 kB');
  }),
  budget(
    'pace and placements of a plan',
    scriptsOf('src/features/plan/placing/placing-cards.tsx').filter((file) => !ofPlan.includes(file)),
    '6 kB',
  ),
  budget(
    'chart',
    scriptsOf('src/ui/chart/chart.tsx').filter((file) => !first.includes(file)),
    '30 kB',
  ),
  ...languages.flatMap((code) =>
    Object.entries(PARTS).map(([part, limit]) =>
      budget(`language: ${code}, ${part}`, scriptsOf(textsOf(code, part)), limit),
    ),
  ),
];
