/**
 * The native shell that the app may run in. A shell offers its close action as `window.AdfolioHost.close()` or, on
 * iOS, as the message handler `close`.
 */
type HostWindow = Window & {
  AdfolioHost?: { close?: () => void };
  webkit?: { messageHandlers?: { close?: { postMessage: (message: string) => void } } };
};

export function hasHost(): boolean {
  const host = window as HostWindow;
  return Boolean(host.AdfolioHost?.close ?? host.webkit?.messageHandlers?.close);
}

export function closeHost(): void {
  const host = window as HostWindow;
  if (host.AdfolioHost?.close) host.AdfolioHost.close();
  else host.webkit?.messageHandlers?.close?.postMessage('');
}
