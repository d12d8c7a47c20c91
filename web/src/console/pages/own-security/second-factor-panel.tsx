import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { announce } from '../../act/announce';
import { staffPost } from '../../api/call';
import { updateStaff } from '../../session/store';
import { useStaff } from '../../session/use-staff';
import { Badge } from '../../ui/badge';
import { Panel } from '../../ui/panel';
import { SecondFactorSetUp } from './second-factor-set-up';

/** Whether there is a second factor, and the way to one. */
export function SecondFactorPanel() {
  const { t } = useTranslation('console');
  const { has_totp: isActive } = useStaff();
  return (
    <Panel
      title={t('own_security.factor')}
      actions={
        <Badge tone={isActive ? 'good' : 'waiting'}>
          {t(isActive ? 'own_security.state_on' : 'own_security.state_off')}
        </Badge>
      }
    >
      {isActive ? (
        <>
          <p>{t('own_security.active')}</p>
          <p>{t('own_security.active_lost')}</p>
        </>
      ) : (
        <Enrolment />
      )}
    </Panel>
  );
}

/**
 * Sets up the second factor of the member whose session this is. It works before any other call does, so the frame can
 * show it where the server demands a second factor first.
 */
export function Enrolment() {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  // The answer is kept here alone and never in the cache of what was read.
  const enroll = useMutation({ mutationFn: () => staffPost('/admin/second_factor/enroll', {}), gcTime: 0 });
  if (enroll.data) {
    return (
      <SecondFactorSetUp
        factor={enroll.data}
        onCancel={enroll.reset}
        onActive={() => {
          announce({ text: t('own_security.done') });
          updateStaff({ has_second_factor: true, has_totp: true });
        }}
      />
    );
  }
  return (
    <>
      <p>{t('own_security.intro')}</p>
      <FormAlert>{enroll.error ? errorText(enroll.error) : null}</FormAlert>
      <div>
        <Button busy={enroll.isPending} onClick={() => enroll.mutate()}>
          {t('own_security.start')}
        </Button>
      </div>
    </>
  );
}
