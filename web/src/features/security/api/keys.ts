import { roots } from '@/domain/keys';

export const securityKeys = {
  all: roots.security,
  sessions: [...roots.security, 'sessions'] as const,
  log: [...roots.security, 'log'] as const,
};
