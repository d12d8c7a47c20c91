import { createContext, useContext, useMemo, useState } from 'react';
import { useMay, useStaff } from '../../session/use-staff';
import type { QuarantinedReport } from './decisions';

/** Reports that are decided in one call at most. */
export const MOST_TICKED = 100;

type TickState = {
  ids: ReadonlySet<string>;
  set: (ids: ReadonlySet<string>) => void;
};

const Context = createContext<TickState>({ ids: new Set(), set: () => undefined });

/** The reports that are ticked on the page of the quarantine. */
export const Ticks = Context.Provider;

export function useTicks(): TickState {
  const [ids, set] = useState<ReadonlySet<string>>(new Set());
  return useMemo(() => ({ ids, set }), [ids]);
}

export function useTicked(): TickState {
  return useContext(Context);
}

/** Whether the member can decide a report. Who has released it first is not the second one, but may reject it. */
export function useIsOpen(): (report: QuarantinedReport) => boolean {
  const may = useMay();
  const mayDecide = may('POST /admin/delivery/quarantine/decide');
  return ({ state }) => mayDecide && (state === 'waiting' || state === 'approved');
}

/** Whether the member can release it: another one has done so first, or nobody. */
export function useMayRelease(): (report: QuarantinedReport) => boolean {
  const { id } = useStaff();
  return (report) => report.approved_by !== id;
}
