import { parts } from './app/parts';
import { textsOf } from './app/rules';
import { visited } from './app/visit';
import { fetchTexts, firstLanguage } from './i18n/texts';

/*
 * The small first script of a visit. Fetches the requested page and its texts in parallel with the framework, in short
 * tasks between which the browser can draw and respond.
 */
const { route } = visited();
const { lang } = firstLanguage();
const wanted = [
  route.load,
  ...(route.login ? [parts.userFrame] : []),
  ...(['first', ...textsOf(route)] as const).map((part) => () => fetchTexts(part, lang)),
];
// A failure shows itself where the module is used.
for (const fetchOne of wanted) setTimeout(() => fetchOne().catch(() => undefined));
// The framework executes in a task of its own, before the app.
setTimeout(() => import('react-dom/client').then(() => import('./main')).then(({ start }) => start()));
