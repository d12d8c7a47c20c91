import { createStore } from '@/lib/store';
import { useOverlay } from '@/ui/use-overlay';

export type ServiceRequest = {
  /** `recharge` selects the contacts for deposits. */
  variant: 'normal' | 'recharge';
  /** What the question is about, in a few words. It is passed on to customer service. */
  subject?: string | undefined;
  /** The reason for contact, shown below the title. */
  subtitle?: string | undefined;
  /** Opens every contact in a new tab, because the user cannot use the app's own pages. */
  outside?: boolean | undefined;
};

export const serviceStore = createStore<ServiceRequest>({ variant: 'normal' });

/** The only customer-service dialog. It belongs to the shell, any page can open it, and Back closes it. */
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
