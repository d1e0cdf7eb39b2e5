/** Times as Kubernetes writes them. */

/** Whole seconds, as `metav1.Time`. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** With microseconds, as `metav1.MicroTime`. */
export function microTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, '000Z');
}

/** Milliseconds since the epoch; NaN for what is no time. */
export function timeOf(text: string | undefined): number {
  return text === undefined ? Number.NaN : Date.parse(text);
}
