import { useQuery } from '@tanstack/react-query';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';

const PAGE_ROWS = 100;
/** More than anybody would choose among by ticking. */
const MOST_PLACEMENTS = 1000;

export type PlacementOption = { id: string; name: string };

async function allPlacements(signal: AbortSignal): Promise<PlacementOption[]> {
  const found: PlacementOption[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = {
      limit: PAGE_ROWS,
      ...(cursor === null ? {} : { cursor }),
    };
    const page = await staffGet('/admin/placement/list', query, { signal });
    found.push(...page.items.map(({ id, name, network_name }) => ({ id, name: `${network_name}, ${name}` })));
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < MOST_PLACEMENTS);
  return found.sort((one, other) => one.name.localeCompare(other.name));
}

/** The placements that a product's plans may use, by network and name. */
export function usePlacements() {
  const placements = useQuery({
    queryKey: consoleKeys.list('/admin/placement/list', { limit: String(MOST_PLACEMENTS) }),
    queryFn: ({ signal }) => allPlacements(signal),
  });
  const names = new Map(placements.data?.map(({ id, name }) => [id, name]));
  return { placements, nameOf: (id: string) => names.get(id) ?? id };
}
