import { BellRing } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { usePush } from '@/domain/push/use-push';
import { MenuNote, MenuSwitch } from '@/ui/menu';

const ICON = <BellRing size={20} />;

/** The switch of messages on this device. */
export default function PushRow() {
  const { t } = useTranslation();
  const { state, isChanging, turn } = usePush();
  if (!state) return null;
  if (state === 'denied') return <MenuNote icon={ICON} label={t('push.title')} hint={t('push.denied')} />;
  return (
    <MenuSwitch
      icon={ICON}
      label={t('push.title')}
      hint={t('push.hint')}
      isOn={state === 'on'}
      busy={isChanging}
      onChange={turn}
    />
  );
}
