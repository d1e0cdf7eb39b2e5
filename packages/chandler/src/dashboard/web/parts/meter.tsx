/** A share as a bar with its number. */
import { percent } from '../model/format.ts';

export function Meter({
  part,
  whole,
  label,
}: {
  readonly part: number;
  readonly whole: number;
  readonly label: string;
}) {
  const share = whole > 0 ? Math.min(1, part / whole) : 0;
  return (
    <span class="meter">
      <span class="meter-bar" aria-hidden="true">
        <span class="meter-fill" style={{ width: `${100 * share}%` }} />
      </span>
      <span class="meter-text">
        <span class="hidden">{label} </span>
        {percent(part, whole)}
      </span>
    </span>
  );
}
