import { useTranslation } from 'react-i18next';
import { useService } from '@/domain/service/service-store';
import { TextButton } from './text-button';

/** Refers users without an authorisation code to customer service. */
export function NoCode() {
  const { t } = useTranslation();
  const service = useService();
  return (
    <TextButton
      onClick={() => service.open({ subject: t('auth.no_code'), subtitle: t('service.need_code') })}
    >
      {t('auth.no_code')}
    </TextButton>
  );
}
