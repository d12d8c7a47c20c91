import { visited } from './app/visit';
import { fetchTexts, firstLanguage } from './i18n/texts';

/*
 * The first script of a visit and a small one: what the address asks for is fetched beside the framework, not after it. In
 * short steps, between which the browser draws and answers to taps.
 */
const { route } = visited();
const { lang } = firstLanguage();
const parts = [
  route.load,
  () => fetchTexts('first', lang),
  ...(route.login ? [() => fetchTexts('rest', lang)] : []),
];
// What fails here fails again where it is used, and shows itself there.
for (const fetchPart of parts) setTimeout(() => fetchPart().catch(() => undefined));
// The framework runs by itself before the app does.
setTimeout(() => import('react-dom/client').then(() => import('./main')));
