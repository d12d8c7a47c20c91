import { act, render } from '@testing-library/react';
import { HashRouter, type NavigateFunction, useLocation, useNavigate } from 'react-router';
import { beforeEach, expect, test } from 'vitest';
import { useQueryPatch } from './use-query-patch';

let patch: ReturnType<typeof useQueryPatch>;
let navigate: NavigateFunction;
let drawn: ReturnType<typeof useLocation>;

function Page() {
  patch = useQueryPatch();
  navigate = useNavigate();
  drawn = useLocation();
  return null;
}

beforeEach(() => {
  window.location.hash = '#/plan?status=settled';
  render(
    <HashRouter>
      <Page />
    </HashRouter>,
  );
});

test('parts are set, and left out without a value', () => {
  act(() => patch({ search: 'harbor', sort: null }));
  expect(drawn.search).toBe('?status=settled&search=harbor');
  act(() => patch({ status: null, search: '' }));
  expect(drawn.search).toBe('');
});

test('changes before the next page is drawn all count', () => {
  // Inside one `act` nothing is drawn in between.
  act(() => {
    patch({ sort: 'profit' });
    patch((query) => ({ order: query.get('sort') === 'profit' ? 'asc' : null }));
    patch({ search: 'harbor' });
  });
  expect(drawn.search).toBe('?status=settled&sort=profit&order=asc&search=harbor');
});

test('a change that comes after the user has left does not lead back', () => {
  act(() => {
    navigate('/wallet');
    patch({ search: 'harbor' });
  });
  expect(drawn).toMatchObject({ pathname: '/wallet', search: '' });
});

test('the state of the entry is the given one', () => {
  act(() => patch({ amount: '300' }, { state: { overlay: 'review' } }));
  expect(drawn.state).toEqual({ overlay: 'review' });
});
