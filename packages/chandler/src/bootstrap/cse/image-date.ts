/**
 * The date of a node image, read from its version: `202604.13.0` of Linux, `20348.4294.260414` of Windows. Found in an
 * image id, in the label of a node, or standing alone.
 */

/** `2026-04-13`, or nothing where the version holds no date. */
export function imageDateOf(image: string): string | undefined {
  const version = versionOf(image);
  for (const form of FORMS) {
    const match = form.exec(version);
    if (match === null) continue;
    const { year = '', month = '', day = '' } = match.groups ?? {};
    const date = realDate(`${year.length === 2 ? `20${year}` : year}-${month}-${day.padStart(2, '0')}`);
    if (date !== undefined) return date;
  }
  return undefined;
}

/** An ISO date, if it is a day that exists; the time of day is dropped. */
export function realDate(text: string): string | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:$|T)/.exec(text);
  if (match === null) return undefined;
  const ms = Date.parse(`${match[1]}T00:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  return new Date(ms).toISOString().slice(0, 10) === match[1] ? match[1] : undefined;
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

// ---------------------------------------------------------------------------------------------------

/** Linux since 2022; Windows; Linux before (`2022.10.03`). */
const FORMS: readonly RegExp[] = [
  /(?:^|-)(?<year>20\d{2})(?<month>\d{2})\.(?<day>\d{1,2})\.\d+$/,
  /(?:^|-)\d{5}\.\d+\.(?<year>\d{2})(?<month>\d{2})(?<day>\d{2})$/,
  /(?:^|-)(?<year>20\d{2})\.(?<month>\d{2})\.(?<day>\d{2})$/,
];

function versionOf(image: string): string {
  const trimmed = image.trim();
  const match = /\/versions\/([^/]+)\/?$/i.exec(trimmed);
  return match?.[1] ?? trimmed.split(/[/:]/).at(-1) ?? '';
}
