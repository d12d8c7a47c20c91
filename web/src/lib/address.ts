/**
 * The path and query of the address. What React has drawn may be older: pages change in transitions, during which the
 * previous one stays visible and can be used.
 */
export function currentAddress(): { path: string; search: string } {
  const [path, search = ''] = location.hash.slice(1).split('?');
  return { path: path || '/', search };
}
