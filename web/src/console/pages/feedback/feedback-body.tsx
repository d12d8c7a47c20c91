import { useTranslation } from 'react-i18next';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { UserLink } from '../../ui/user-link';
import type { Feedback } from './feedback';
import styles from './feedback-body.module.css';

/** All that a user has written, and what was answered. */
export function FeedbackBody({ feedback }: { feedback: Feedback }) {
  const { t } = useTranslation('console');
  const { content, images, user, time, state, reply } = feedback;
  const pictures = images.filter(isOwnAddress);
  return (
    <div className={styles.body}>
      <Facts
        facts={[
          { label: t('feedback.user'), value: <UserLink id={user.id} name={user.username} /> },
          { label: t('feedback.time'), value: <Moment at={time} /> },
          ...(state === 'closed'
            ? [{ label: t('feedback.closed_at'), value: <Moment at={feedback.closed_at} /> }]
            : []),
        ]}
      />
      <p className={styles.text}>{content}</p>
      {pictures.length === 0 ? null : (
        <ul className={styles.pictures} aria-label={t('feedback.pictures')}>
          {pictures.map((address, index) => (
            <li key={address}>
              <a href={address} target="_blank" rel="noopener noreferrer">
                <img
                  className={styles.picture}
                  src={address}
                  alt={t('feedback.picture', { number: index + 1 })}
                  loading="lazy"
                />
              </a>
            </li>
          ))}
        </ul>
      )}
      {state === 'closed' ? (
        <section className={styles.reply} aria-label={t('feedback.reply')}>
          <h3 className={styles.heading}>{t('feedback.reply')}</h3>
          <p className={styles.answer}>{reply ?? t('feedback.no_reply')}</p>
        </section>
      ) : null}
    </div>
  );
}

/** Only the platform's own files are shown: an address elsewhere would tell its owner who reads the feedback. */
function isOwnAddress(address: string): boolean {
  return new URL(address, location.origin).origin === location.origin;
}
