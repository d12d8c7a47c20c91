import { loadTexts } from '.';
import { offerTexts, type Packs } from './texts';

offerTexts('desk', import.meta.glob('./packs/*.json', { query: '?part=desk' }) as Packs);

/** Gives a part of the desk once its texts are there, now and in every language that is switched to. */
export function withDeskTexts<C>(part: C): () => Promise<{ default: C }> {
  return () => loadTexts(['desk']).then(() => ({ default: part }));
}
