import { Link } from 'react-router';
import { useMay } from '../session/use-staff';

type Props = { id: string; name: string | null };

/** A user by name, or by id where the name is not known, with the way to their page for those who may see it. */
export function UserLink({ id, name }: Props) {
  const may = useMay();
  const shown = name ?? <span className="mono">{id}</span>;
  return may('POST /admin/user/detail') ? <Link to={`/users/${id}`}>{shown}</Link> : shown;
}
