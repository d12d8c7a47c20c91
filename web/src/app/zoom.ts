/** What tells a mobile device from a desktop. */
type Device = { width: number; hasTouch: boolean; userAgent: string };

const MOBILE_WIDTH_PX = 768;
const MOBILE_AGENT = /Android|webOS|iPhone|iPad|iPod|BlackBerry|IEMobile|Opera Mini|Mobile/i;

/** A narrow window with touch, or a mobile user agent. */
export function isMobile({ width, hasTouch, userAgent }: Device): boolean {
  return (width <= MOBILE_WIDTH_PX && hasTouch) || MOBILE_AGENT.test(userAgent);
}

function thisDevice(): Device {
  const { innerWidth: width, navigator } = window;
  return { width, hasTouch: navigator.maxTouchPoints > 0, userAgent: navigator.userAgent };
}

/**
 * Keeps a mobile device from zooming the page where `touch-action` cannot: with the wheel and Ctrl, as touchpads pinch,
 * and with Safari's gestures. A desktop keeps its browser zoom.
 */
export function blockZoom(device: Device = thisDevice()): void {
  // Also spares desktops a listener that scrolling must wait for.
  if (!isMobile(device)) return;
  const prevent = (event: Event) => event.preventDefault();
  const onWheel = (event: WheelEvent) => {
    if (event.ctrlKey) prevent(event);
  };
  document.addEventListener('wheel', onWheel, { passive: false });
  for (const gesture of ['gesturestart', 'gesturechange']) {
    document.addEventListener(gesture, prevent, { passive: false });
  }
}
