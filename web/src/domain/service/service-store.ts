import { createStore } from '@/lib/store';
import { useOverlay } from '@/ui/use-overlay';

export type ServiceRequest = {
  /** `recharge`: the contacts for deposits. */
  variant: 'normal' | 'recharge';
  /** Why the user was sent here, shown below the title. */
  subtitle?: string | undefined;
  /** The app's own pages are closed to the user, so that every contact opens in a new tab. */
  outside?: boolean | undefined;
};

export const serviceStore = createStore<ServiceRequest>({ variant: 'normal' });

/** The one customer-service dialog, which stands in the shell: any page opens it, the device's Back closes it. */
export function useService(): {
  isOpen: boolean;
  open: (request?: Partial<ServiceRequest>) => void;
  close: () => void;
} {
  const overlay = useOverlay('service');
  return {
    ...overlay,
    open: (request) => {
      serviceStore.set({ variant: 'normal', ...request });
      overlay.open();
    },
  };
}
