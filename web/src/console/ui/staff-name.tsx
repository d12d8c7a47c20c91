import { useTranslation } from 'react-i18next';
import { useStaffNames } from '../api/use-staff-names';
import { useStaff } from '../session/use-staff';

/** A member of staff by name, said to be oneself where it is. Who may not read the names of others sees their ids. */
export function StaffName({ id }: { id: string | null }) {
  const { t } = useTranslation('console');
  const own = useStaff();
  const names = useStaffNames();
  if (id === null) return t('list.none');
  if (id === own.id) return t('list.you', { name: own.username });
  return names.get(id) ?? <span className="mono">{id}</span>;
}
