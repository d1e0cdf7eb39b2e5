/** What the app takes from the browser: time, timers, the network. Everything else in this folder gets it from here. */

export function nowMs(): number {
  return Date.now();
}

/** For durations: it does not jump when the clock is set. */
export function monotonicMs(): number {
  return performance.now();
}

/** Calls once, later. The answer ends it. */
export function after(delayMs: number, act: () => void): () => void {
  const timer = window.setTimeout(act, delayMs);
  return () => window.clearTimeout(timer);
}

/** Calls again and again. The answer ends it. */
export function every(intervalMs: number, act: () => void): () => void {
  const timer = window.setInterval(act, intervalMs);
  return () => window.clearInterval(timer);
}

/** Before the next picture is drawn. */
export function nextFrame(act: () => void): void {
  requestAnimationFrame(act);
}

/** Whether nobody can see the page: another tab is shown. */
export function isHidden(): boolean {
  return document.hidden;
}

/** Calls whenever the page is shown again or hidden. The answer ends it. */
export function whenShown(act: () => void): () => void {
  document.addEventListener('visibilitychange', act);
  return () => document.removeEventListener('visibilitychange', act);
}

export function request(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
}

/** Whether the system asks for less motion. */
export function prefersLessMotion(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** `Europe/Berlin`: the zone of every time on the page. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
