import { visited } from './app/visit';
import { fetchTexts, firstLanguage } from './i18n/texts';

/*
 * The first script of a visit and a small one: what the address asks for is fetched beside the framework, not after it. What
 * fails here fails again where it is used, and shows itself there.
 */
const { route } = visited();
const { lang } = firstLanguage();
const parts = [route.load(), fetchTexts('first', lang), ...(route.login ? [fetchTexts('rest', lang)] : [])];
for (const part of parts) part.catch(() => undefined);
void import('./main');
