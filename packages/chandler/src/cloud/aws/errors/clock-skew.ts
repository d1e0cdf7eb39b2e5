/** How far the clock of the controller is from that of AWS, read from a refused signature. */

/** Of our clock, in milliseconds: negative when it is behind. Undefined where the message has no times. */
export function clockSkewMs(text: string): number | undefined {
  const [, ours, theirs] = SIGNATURE_TIMES.exec(text) ?? [];
  if (ours === undefined || theirs === undefined) return undefined;
  return parseBasicTime(ours) - parseBasicTime(theirs);
}

export function clockSkewText(text: string): string {
  const skewMs = clockSkewMs(text);
  const advice = 'synchronize the clock of the node that the controller runs on (NTP, or Amazon Time Sync)';
  if (skewMs === undefined) return `the clock of the controller is too far from that of AWS; ${advice}`;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const amount = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `the clock of the controller is ${amount} ${skewMs < 0 ? 'behind' : 'ahead of'} that of AWS; ${advice}`;
}

// ---------------------------------------------------------------------------------------------------------------

/** The time of the signature, a bound, and in parentheses the time of AWS with the tolerance. */
const SIGNATURE_TIMES = /(\d{8}T\d{6}Z) is (?:now earlier|still later) than \d{8}T\d{6}Z \((\d{8}T\d{6}Z)/;

/** `20260102T030405Z` */
function parseBasicTime(text: string): number {
  const [year, month, day, hour, minute, second] = [0, 4, 6, 9, 11, 13].map((at, index) =>
    Number(text.slice(at, at + (index === 0 ? 4 : 2))),
  );
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
}
