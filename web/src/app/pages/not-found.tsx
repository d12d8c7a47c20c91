import { Compass } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '@/lib/session/use-session';
import { LinkButton } from '@/ui/button';
import { EmptyState } from '@/ui/states';
import { HOME_PATH, LOGIN_PATH } from '../routes';

export default function NotFoundPage() {
  const { t } = useTranslation();
  const { token } = useSession();
  return (
    <EmptyState
      icon={<Compass size={28} />}
      title={t('not_found.title')}
      text={t('not_found.text')}
      action={
        <LinkButton to={token ? HOME_PATH : LOGIN_PATH}>
          {t(token ? 'not_found.home' : 'not_found.login')}
        </LinkButton>
      }
    />
  );
}
