import { useKept } from '../../session/use-kept';
import { EMPTY, type NoticeDraft } from './draft';

export type Draft = {
  value: NoticeDraft;
  change: (change: Partial<NoticeDraft>) => void;
  drop: () => void;
};

/** The announcement that is being written. */
export function useDraft(): Draft {
  const [kept, keep] = useKept<Partial<NoticeDraft>>('notice');
  const value = { ...EMPTY, ...kept };
  return { value, change: (change) => keep({ ...value, ...change }), drop: () => keep(null) };
}
