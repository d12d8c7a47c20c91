import { roots } from '@/domain/keys';
import type { LegalName } from '@/lib/api/types';

export const supportKeys = {
  legal: (name: LegalName, lang: string) => [...roots.legal, name, lang] as const,
};
