import { visited } from './app/visit';
import { fetchTexts, firstLanguage } from './i18n/texts';

/*
 * The first script of a visit and a small one: what the address asks for is fetched beside the framework, not after it. In
 * short steps, between which the browser draws and answers to taps. What fails here fails again where it is used, and shows
 * itself there.
 */
const { route } = visited();
const { lang } = firstLanguage();
const steps = [
  route.load,
  () => fetchTexts('first', lang),
  ...(route.login ? [() => fetchTexts('rest', lang)] : []),
  // The framework runs by itself before the app does.
  () => import('react-dom/client').then(() => import('./main')),
];
for (const step of steps) setTimeout(() => step().catch(() => undefined));
