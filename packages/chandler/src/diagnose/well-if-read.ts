/** The rule for every object that is called healthy by more than its own fields: all that this rests on was read. */

export interface HealthState {
  readonly state: 'well' | 'soon' | 'late';
  readonly text: string;
}

/** `text` is a sentence without its full stop, `missing` what is not known of all that it rests on: `its events could not be read`. */
export function wellIfRead(text: string, missing: readonly string[]): HealthState {
  if (missing.length === 0) return { state: 'well', text: `${text}.` };
  return { state: 'late', text: `${text}, but ${missing.join(', and ')}.` };
}
