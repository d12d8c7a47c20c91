import { useService } from '@/domain/service/service-store';
import { usePart } from '@/ui/use-part';
import { parts } from './parts';

/** The one customer-service dialog of the app, which any page opens with `useService`. */
export function Service() {
  const { isOpen, close } = useService();
  const ServiceDialog = usePart(parts.serviceDialog, isOpen, close);
  return isOpen && ServiceDialog ? <ServiceDialog isOpen onClose={close} /> : null;
}
