/** Texts of the controller have their times in UTC, as ISO 8601: they are found here, so that a page can show them in its own zone. Pure. */

const TIME = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\b/;

/** The text in pieces: what is no time as it is, times in milliseconds. */
export function splitTimes(text: string): readonly (string | number)[] {
  return text
    .split(TIME)
    .map((part, at) => {
      const ms = at % 2 === 1 ? Date.parse(part) : Number.NaN;
      return Number.isNaN(ms) ? part : ms;
    })
    .filter((part) => part !== '');
}
