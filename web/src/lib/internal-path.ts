/** A path of this app as a query parameter may carry it; null for anything that could lead elsewhere. */
export function internalPath(path: string | null): string | null {
  return path !== null && /^\/(?![/\\])/.test(path) ? path : null;
}
