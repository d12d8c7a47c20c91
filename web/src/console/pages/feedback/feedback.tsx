import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Badge } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { UserLink } from '../../ui/user-link';
import { FeedbackOpener } from './feedback-opener';

export type Feedback = components['schemas']['Feedback'];

const STATES = ['open', 'closed'] as const;

/** Characters of the text that the list shows. */
const BEGINNING = 120;

const LIST: List<'/admin/feedback/list'> = {
  path: '/admin/feedback/list',
  claims: { kind: 'feedback', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: ({ topic, user }) => `${topic}, ${user.username ?? user.id}`,
  empty: 'feedback.empty',
  filters: [
    {
      name: 'state',
      label: 'feedback.state',
      kind: 'choice',
      initial: 'open',
      options: STATES.map((value) => ({ value, label: `feedback.states.${value}` })),
    },
  ],
  columns: [
    {
      id: 'topic',
      header: 'feedback.topic',
      width: 220,
      cell: (feedback) => <FeedbackOpener feedback={feedback} />,
      csv: ({ topic }) => topic,
    },
    {
      id: 'time',
      header: 'feedback.time',
      width: 150,
      cell: ({ time }) => <Moment at={time} />,
      csv: ({ time }) => time,
    },
    {
      id: 'user',
      header: 'feedback.user',
      width: 160,
      cell: ({ user }) => <UserLink id={user.id} name={user.username} />,
      csv: ({ user }) => user.username ?? user.id,
    },
    {
      id: 'content',
      header: 'feedback.content',
      width: 420,
      cell: ({ content }) => beginningOf(content),
      csv: ({ content }) => content,
    },
    {
      id: 'pictures',
      header: 'feedback.pictures',
      width: 90,
      align: 'end',
      cell: ({ images }) => (images.length === 0 ? null : <span className="figure">{images.length}</span>),
      csv: ({ images }) => images.length,
    },
    {
      id: 'state',
      header: 'feedback.state',
      width: 100,
      cell: ({ state }) => <FeedbackState state={state} />,
      csv: ({ state }) => state,
    },
    {
      id: 'closed',
      header: 'feedback.closed_at',
      width: 150,
      optional: true,
      cell: (feedback) => <Moment at={feedback.closed_at} />,
      csv: (feedback) => feedback.closed_at,
    },
    {
      id: 'reply',
      header: 'feedback.reply',
      width: 260,
      optional: true,
      cell: ({ reply }) => beginningOf(reply ?? ''),
      csv: ({ reply }) => reply,
    },
    {
      id: 'id',
      header: 'feedback.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** What users have written to the people who run the programme. */
export default function FeedbackPage() {
  const { t } = useTranslation('console');
  return <ListPage title={t('feedback.title')} list={LIST} />;
}

function FeedbackState({ state }: { state: Feedback['state'] }) {
  const { t } = useTranslation('console');
  return <Badge tone={state === 'open' ? 'waiting' : 'neutral'}>{t(`feedback.states.${state}`)}</Badge>;
}

function beginningOf(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return characters.length > BEGINNING ? `${characters.slice(0, BEGINNING).join('')}…` : characters.join('');
}
