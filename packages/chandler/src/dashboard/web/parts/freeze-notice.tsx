/** What is frozen, large: nobody should look for another reason. */
import type { Freeze } from '../../wire.ts';
import { splitTimes } from '../model/timed-text.ts';
import { Time, TimedText } from './time.tsx';

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
          {untilMs === null ? (
            'until it is lifted'
          ) : splitTimes(text).includes(untilMs) ? null : (
            <>
              until <Time ms={untilMs} />
            </>
          )}
          {text === '' ? null : (
            <>
              {' '}
              (<TimedText text={text} />)
            </>
          )}
        </p>
      ))}
    </section>
  );
}
