import { render, screen, waitFor } from '@testing-library/react';
import { startTransition, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchAhead, usePart } from './use-part';

const Part = () => <p>the part</p>;

type Load = () => Promise<{ default: typeof Part }>;

function Host({ load, giveUp = () => undefined }: { load: Load; giveUp?: () => void }) {
  const Wanted = usePart(load, true, giveUp);
  return Wanted ? <Wanted /> : <p>waiting</p>;
}

test('a part is shown once it has loaded', async () => {
  render(<Host load={async () => ({ default: Part })} />);
  expect(screen.getByText('waiting')).toBeVisible();
  expect(await screen.findByText('the part')).toBeVisible();
});

test('a part that was fetched ahead is there at once', async () => {
  const load: Load = vi.fn(async () => ({ default: Part }));
  await fetchAhead([load]);
  render(<Host load={load} />);
  expect(screen.getByText('the part')).toBeVisible();
  expect(load).toHaveBeenCalledOnce();
});

test('a part that arrives between a render and its effect is shown', async () => {
  const load: Load = async () => ({ default: Part });
  function Racing() {
    // Runs before the effect of the part, which React schedules for later: the part is there by then.
    useLayoutEffect(() => void fetchAhead([load]), []);
    return <Host load={load} />;
  }
  // Inside `act` no time passes between a render and its effects.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  onTestFinished(() => {
    root.unmount();
    vi.unstubAllGlobals();
  });
  startTransition(() => root.render(<Racing />));
  await waitFor(() => expect(screen.getByText('the part')).toBeVisible());
});

test('a part that cannot be loaded is given up', async () => {
  const giveUp = vi.fn();
  render(<Host load={() => Promise.reject(new TypeError('no network'))} giveUp={giveUp} />);
  await waitFor(() => expect(giveUp).toHaveBeenCalledOnce());
  expect(screen.getByText('waiting')).toBeVisible();
});
