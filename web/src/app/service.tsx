import { useService } from '@/domain/service/service-store';
import { usePart } from '@/ui/use-part';
import { parts } from './parts';

/** The only customer-service dialog. Any page opens it with `useService`. */
export function Service() {
  const { isOpen, close } = useService();
  const ServiceDialog = usePart(parts.serviceDialog, isOpen, close);
  return isOpen && ServiceDialog ? <ServiceDialog isOpen onClose={close} /> : null;
}
