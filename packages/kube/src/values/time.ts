/** Times as Kubernetes writes them. */

/** metav1.Time: whole seconds. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** metav1.MicroTime: six digits after the point. */
export function formatMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, '000Z');
}

/** Milliseconds since the epoch; NaN when the text is absent or no time. */
export function parseTimeMs(text: string | undefined): number {
  return text === undefined ? Number.NaN : Date.parse(text);
}
