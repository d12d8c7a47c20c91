/** The width of a phone, with which every test begins. */
export const PHONE_PX = 390;

export function resizeWindow(width: number): void {
  (window as unknown as DetachedWindowAPI).happyDOM.setViewport({ width });
}

type DetachedWindowAPI = { happyDOM: { setViewport: (size: { width: number }) => void } };
