import { readObject, write } from '@/lib/storage';

/** A list with its filters under a name of the member's own. */
export type View = { name: string; search: string };

/** What a member has set up for a list. It stays in this browser. */
type Kept = { columns?: Record<string, boolean>; views?: View[] };

const MAX_VIEWS = 20;

const keyOf = (member: string, path: string) => `adfolio.console.${member}.${path}`;

function read(member: string, path: string): Kept {
  return (readObject(keyOf(member, path)) as Kept | null) ?? {};
}

export function keptColumns(member: string, path: string): Record<string, boolean> {
  return read(member, path).columns ?? {};
}

export function keepColumns(member: string, path: string, columns: Record<string, boolean>): void {
  write(keyOf(member, path), { ...read(member, path), columns });
}

export function keptViews(member: string, path: string): View[] {
  return read(member, path).views ?? [];
}

/** Keeps a view, the newest first. A name is there once. */
export function keepView(member: string, path: string, view: View): View[] {
  const others = keptViews(member, path).filter(({ name }) => name !== view.name);
  return keepViews(member, path, [view, ...others].slice(0, MAX_VIEWS));
}

export function dropView(member: string, path: string, name: string): View[] {
  return keepViews(
    member,
    path,
    keptViews(member, path).filter((view) => view.name !== name),
  );
}

function keepViews(member: string, path: string, views: View[]): View[] {
  write(keyOf(member, path), { ...read(member, path), views });
  return views;
}
