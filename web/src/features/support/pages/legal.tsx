import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { hasReason } from '@/lib/api/error';
import { useSession } from '@/lib/session/use-session';
import { Card } from '@/ui/card';
import { PlainText } from '@/ui/plain-text';
import { EmptyState, ErrorState, SkeletonCards } from '@/ui/states';
import { legalQuery } from '../api/queries';
import { LEGAL_NAMES } from '../rules';

/** A text that the law or the business asks for. The address names it. */
export default function LegalPage() {
  const { t } = useTranslation();
  const { lang } = useSession();
  const { pathname } = useLocation();
  const name = LEGAL_NAMES.find((one) => pathname.includes(one)) ?? LEGAL_NAMES[0];
  const { data, error, isPending, refetch } = useQuery(legalQuery(name, lang));
  if (isPending) return <SkeletonCards count={1} height="16rem" />;
  if (data) {
    return (
      <Card>
        <PlainText text={data.text} />
      </Card>
    );
  }
  if (hasReason(error, 'NOT_FOUND')) {
    return <EmptyState icon={<SearchX size={28} />} title={t('help.no_text')} />;
  }
  return <ErrorState error={error} onRetry={() => refetch()} />;
}
