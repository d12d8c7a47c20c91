import type { StaffGetPath, StaffPostPath } from './call';

type Query = Readonly<Record<string, string | undefined>>;

/** The keys of what the console has read. All of it is below `console`. */
export const consoleKeys = {
  all: ['console'] as const,
  /** A list with its filters, or with none all lists of this path. */
  list: (path: StaffGetPath, query?: Query) => ['console', path, ...(query ? [query] : [])] as const,
  /** The newest checkpoint of the books, which anybody may read. */
  checkpoint: ['console', '/checkpoint/list'] as const,
  /** One object, such as a user's page. */
  one: (path: StaffPostPath | StaffGetPath, id?: string) => ['console', path, ...(id ? [id] : [])] as const,
};
