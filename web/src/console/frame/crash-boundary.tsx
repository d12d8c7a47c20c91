import i18next from 'i18next';
import { Component, type ReactNode } from 'react';
import { Button } from '@/ui/button';

type Props = {
  children: ReactNode;
  /** Where one is: going elsewhere tries again. */
  at?: string;
};

/** Shown when a page throws, or when its code cannot be fetched: it is gone after a release, or the connection is. */
export class CrashBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidUpdate(before: Props) {
    if (this.state.broken && before.at !== this.props.at) this.setState({ broken: false });
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <main role="alert" style={{ display: 'grid', gap: 'var(--space-3)', padding: 'var(--space-8)' }}>
        <h1>{i18next.t('console:frame.crash_title')}</h1>
        <p>{i18next.t(navigator.onLine ? 'console:frame.crash_text' : 'console:frame.crash_offline')}</p>
        <div>
          <Button onClick={() => location.reload()}>{i18next.t('console:frame.reload')}</Button>
        </div>
      </main>
    );
  }
}
