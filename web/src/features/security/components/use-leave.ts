import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { internalPath } from '@/lib/internal-path';

/** Returns to the page named in the URL, else to the previous page, else to the wallet. */
export function useLeave(): () => void {
  const navigate = useNavigate();
  const { key } = useLocation();
  const [query] = useSearchParams();
  return () => {
    const next = internalPath(query.get('next'));
    if (next) navigate(next, { replace: true });
    else if (key !== 'default') navigate(-1);
    else navigate('/wallet', { replace: true });
  };
}
