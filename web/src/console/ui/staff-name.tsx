import { useTranslation } from 'react-i18next';
import { useStaff } from '../session/use-staff';

/** A member of staff by id, said to be oneself where it is. Only admins may read the names of others. */
export function StaffName({ id }: { id: string | null }) {
  const { t } = useTranslation('console');
  const own = useStaff();
  if (id === null) return t('list.none');
  return id === own.id ? t('list.you', { name: own.username }) : <span className="mono">{id}</span>;
}
