import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import type { List } from './list';
import { useFilters } from './use-filters';

const LIST: List<'/admin/withdraw/list'> = {
  path: '/admin/withdraw/list',
  rowId: ({ id }) => id,
  rowName: ({ id }) => id,
  empty: 'withdrawals.empty',
  columns: [],
  filters: [
    { name: 'user_id', label: 'withdrawals.user_id', kind: 'search' },
    { name: 'id', label: 'withdrawals.id', kind: 'text', alone: true },
    {
      name: 'status',
      label: 'withdrawals.status',
      kind: 'choice',
      initial: 'pending',
      options: [
        { value: 'pending', label: 'withdrawals.states.pending' },
        { value: 'paid', label: 'withdrawals.states.paid' },
      ],
    },
  ],
};

function filtersAt(address: string) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={[address]}>{children}</MemoryRouter>
  );
  return renderHook(() => useFilters(LIST), { wrapper }).result;
}

test('an address without filters shows the initial choice', () => {
  const filters = filtersAt('/');
  expect(filters.current.query).toEqual({ status: 'pending' });
  expect(filters.current.isFiltered).toBe(false);
});

test('the address filters, and what it does not know counts as absent', () => {
  expect(filtersAt('/?user_id=u-1&status=paid').current.query).toEqual({ user_id: 'u-1', status: 'paid' });
  expect(filtersAt('/?status=any').current.query).toEqual({});
  expect(filtersAt('/?status=stolen&other=1').current.query).toEqual({ status: 'pending' });
});

test('a choice is written to the address, all of it by name, and the initial one not at all', () => {
  const filters = filtersAt('/');
  act(() => filters.current.set('status', 'paid'));
  expect(filters.current.search).toBe('status=paid');
  act(() => filters.current.set('status', ''));
  expect(filters.current.search).toBe('status=any');
  expect(filters.current.query).toEqual({});
  act(() => filters.current.set('status', 'pending'));
  expect(filters.current.search).toBe('');
  act(() => filters.current.replace('user_id=u-1&status=any'));
  expect(filters.current.query).toEqual({ user_id: 'u-1' });
  act(() => filters.current.clear());
  expect(filters.current.search).toBe('');
});

test('a filter that stands alone takes the others away, and is taken away by each', () => {
  const filters = filtersAt('/?id=w-1&status=paid');
  expect(filters.current.query).toEqual({ id: 'w-1' });
  expect(filters.current.values).toEqual({ id: 'w-1', status: '', user_id: '' });
  act(() => filters.current.set('user_id', 'u-1'));
  expect(filters.current.search).toBe('status=paid&user_id=u-1');
  act(() => filters.current.set('id', 'w-2'));
  expect(filters.current.search).toBe('id=w-2');
  act(() => filters.current.set('id', ''));
  expect(filters.current.query).toEqual({ status: 'pending' });
});
