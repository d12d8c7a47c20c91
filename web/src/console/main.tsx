import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './console.css';
import { Console } from './console';
import { startConsoleTexts } from './i18n';
import { createConsoleQueryClient } from './query-client';

await startConsoleTexts();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Console queryClient={createConsoleQueryClient()} />
    </StrictMode>,
  );
}
