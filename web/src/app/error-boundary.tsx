import i18next from 'i18next';
import { RotateCw, TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/states';

/** Shown when a page throws, or when its code is gone after a deployment. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <main role="alert">
        <EmptyState
          bad
          icon={<TriangleAlert size={28} />}
          title={i18next.t('error.crash_title')}
          text={i18next.t('error.crash_text')}
          action={
            <Button onClick={() => location.reload()}>
              <RotateCw size={18} aria-hidden="true" />
              {i18next.t('error.reload')}
            </Button>
          }
        />
      </main>
    );
  }
}
