/**
 * The bridge to the host app that may embed the client. Its only use is to close the host, which offers that in one of
 * these ways, tried in this order:
 *
 * - Android: an object `AdfolioHost` or `Android` with a method `close`
 * - iOS: the message handler `close` of a WKWebView
 * - Flutter: the handler `close` of flutter_inappwebview, or a JavascriptChannel `AdfolioHost`, which gets `close`
 * - React Native: the WebView gets the message `{"type":"close"}`
 * - a page that frames the app gets the message `{type: 'adfolio:close'}`
 *
 * A host may add its objects after the app has started, so each lookup happens on use.
 */
type Poster = { postMessage?: (message: string) => void };
type NativeHost = Poster & { close?: () => void };

type HostWindow = Window & {
  AdfolioHost?: NativeHost;
  Android?: NativeHost;
  webkit?: { messageHandlers?: { close?: Poster } };
  flutter_inappwebview?: { callHandler?: (name: string, ...args: unknown[]) => unknown };
  ReactNativeWebView?: Poster;
};

export function hasHost(): boolean {
  return closeActionOf(window) !== null;
}

export function closeHost(): void {
  closeActionOf(window)?.();
}

/** The action that closes the host app; null without one. */
export function closeActionOf(host: HostWindow): (() => void) | null {
  const { AdfolioHost, Android, webkit, flutter_inappwebview: flutter, ReactNativeWebView } = host;
  // Native methods work only when called on their object.
  if (AdfolioHost?.close) return () => AdfolioHost.close?.();
  if (Android?.close) return () => Android.close?.();
  const handler = webkit?.messageHandlers?.close;
  if (handler?.postMessage) return () => handler.postMessage?.('close');
  if (flutter?.callHandler) return () => flutter.callHandler?.('close');
  if (AdfolioHost?.postMessage) return () => AdfolioHost.postMessage?.('close');
  if (ReactNativeWebView?.postMessage)
    return () => ReactNativeWebView.postMessage?.(JSON.stringify({ type: 'close' }));
  return frameCloseOf(host);
}

/** Messages only the framing page, by the origin that the browser reports as referrer. */
function frameCloseOf(host: Window): (() => void) | null {
  if (host.parent === host) return null;
  const origin = originOf(host.document.referrer);
  if (origin === null) return null;
  return () => host.parent.postMessage({ type: 'adfolio:close' }, origin);
}

function originOf(url: string): string | null {
  try {
    const { origin, protocol } = new URL(url);
    return protocol === 'https:' || protocol === 'http:' ? origin : null;
  } catch {
    return null;
  }
}
