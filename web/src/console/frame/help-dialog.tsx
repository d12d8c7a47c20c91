import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Facts } from '../ui/facts';

const KEYS = {
  palette: ['⌘K', 'Ctrl K'],
  search: ['/'],
  down: ['j'],
  up: ['k'],
  open: ['Enter'],
  close: ['Esc'],
  help: ['?'],
} as const;

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  const facts = (Object.keys(KEYS) as (keyof typeof KEYS)[]).map((name) => ({
    label: t(`frame.help.${name}`),
    value: <Keys keys={KEYS[name]} />,
  }));
  return (
    <Dialog title={t('frame.help_title')} onClose={onClose}>
      <Facts facts={facts} />
      <DialogActions>
        <Button onClick={onClose}>{t('act.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

function Keys({ keys }: { keys: readonly string[] }) {
  const { t } = useTranslation('console');
  return keys.map((key, index) => (
    <span key={key}>
      {index > 0 ? ` ${t('frame.key_or')} ` : null}
      <kbd>{key}</kbd>
    </span>
  ));
}
