import { act, renderHook } from '@testing-library/react';
import { MemoryRouter, useLocation, useNavigate } from 'react-router';
import { expect, test } from 'vitest';
import { useOverlay } from './use-overlay';

function openOverlay() {
  return renderHook(
    () => ({ overlay: useOverlay('sheet'), navigate: useNavigate(), path: useLocation().pathname }),
    {
      wrapper: ({ children }) => (
        <MemoryRouter initialEntries={['/before', '/page']}>{children}</MemoryRouter>
      ),
    },
  );
}

test('opened twice before it is drawn, it closes with one step back', async () => {
  const { result } = openOverlay();
  await act(async () => {
    result.current.overlay.open();
    result.current.overlay.open();
  });
  expect(result.current.overlay.isOpen).toBe(true);
  await act(async () => result.current.navigate(-1));
  expect(result.current.overlay.isOpen).toBe(false);
});

test('closed twice before it is drawn, it leaves the page in place', async () => {
  const { result } = openOverlay();
  await act(async () => result.current.overlay.open());
  await act(async () => {
    result.current.overlay.close();
    result.current.overlay.close();
  });
  expect(result.current.overlay.isOpen).toBe(false);
  expect(result.current.path).toBe('/page');
  await act(async () => result.current.overlay.open());
  expect(result.current.overlay.isOpen).toBe(true);
});
