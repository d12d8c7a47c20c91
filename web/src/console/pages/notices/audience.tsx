import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';

/** How many users an announcement to all would reach, counted now. */
export function Audience() {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const audience = useQuery({
    queryKey: consoleKeys.one('/admin/announcement/audience'),
    queryFn: ({ signal }) => staffGet('/admin/announcement/audience', undefined, { signal }),
    staleTime: 0,
  });
  return <span role="status">{text()}</span>;

  function text(): string {
    if (audience.isPending) return t('notices.counting');
    if (!audience.data) return t('notices.not_counted');
    const { users, more } = audience.data;
    return t(more ? 'notices.audience_more' : 'notices.audience', {
      count: users,
      formatted: integer(users),
    });
  }
}
