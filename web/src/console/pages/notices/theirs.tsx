import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import { StaffName } from '../../ui/staff-name';
import { RecipientsOf } from './announcement-cells';
import { nameOf } from './draft';
import type { NoticeEdit, TheirChange } from './edit';

/** What somebody else changed while this was edited, beside what is typed here. */
export function Theirs({ edit: { base, theirs } }: { edit: NoticeEdit }) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  if (theirs.length === 0) return null;
  const sideOf = (change: TheirChange, side: 'before' | 'after') => {
    switch (change.part) {
      case 'category':
        return t(`notices.categories.${change[side].category}`);
      case 'recipients':
        return <RecipientsOf announcement={change[side]} />;
      case 'time': {
        const at = change[side].publish_at;
        return at === null ? t('list.none') : dateTime(at);
      }
      default:
        return change[side] || t('list.none');
    }
  };
  const outcomeOf = (change: TheirChange) => {
    if ('mine' in change)
      return change.mine === null ? t('notices.theirs_taken') : change.mine || t('list.none');
    return t(change.isMineToo ? 'notices.mine_kept' : 'notices.theirs_taken');
  };
  return (
    <Panel title={t('notices.theirs')}>
      <p>
        {t('notices.theirs_note')} <StaffName id={base.changed_by} />
      </p>
      <PlainTable
        label={t('notices.theirs')}
        rows={theirs}
        rowKey={(change) => ('code' in change ? `${change.part} ${change.code}` : change.part)}
        columns={[
          {
            id: 'part',
            header: t('notices.part'),
            cell: (change) =>
              'code' in change
                ? t('notices.part_language', {
                    part: t(`notices.parts.${change.part}`),
                    language: nameOf(change.code),
                  })
                : t(`notices.parts.${change.part}`),
          },
          { id: 'before', header: t('notices.was'), cell: (change) => sideOf(change, 'before') },
          { id: 'after', header: t('notices.is_theirs'), cell: (change) => sideOf(change, 'after') },
          { id: 'mine', header: t('notices.is_mine'), cell: outcomeOf },
        ]}
      />
    </Panel>
  );
}
