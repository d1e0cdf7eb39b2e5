/** What is frozen, large: nobody should look for another reason. */
import type { Freeze } from '../../wire.ts';
import { fullTime } from '../model/format.ts';

export function FreezeNotice({ freezes }: { readonly freezes: readonly Freeze[] }) {
  if (freezes.length === 0) return null;
  return (
    <section class="freeze" aria-label="Frozen">
      {freezes.map(({ pool, untilMs, text }) => (
        <p key={pool}>
          <strong>
            <span aria-hidden="true">❄ </span>
            {pool === '*' ? 'All disruption is frozen' : `NodePool ${pool} is frozen`}
          </strong>{' '}
          {untilMs === null ? 'until it is lifted' : `until ${fullTime(untilMs)}`}
          {text === '' ? '' : `: ${text}`}
        </p>
      ))}
    </section>
  );
}
