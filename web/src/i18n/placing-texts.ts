import { loadTexts } from '.';
import { offerTexts, type Packs } from './texts';

offerTexts('placing', import.meta.glob('./packs/*.json', { query: '?part=placing' }) as Packs);

/** Gives what shows pace and placements once its texts are there, now and in every language that is switched to. */
export function withPlacingTexts<C>(part: C): () => Promise<{ default: C }> {
  return () => loadTexts(['placing']).then(() => ({ default: part }));
}
