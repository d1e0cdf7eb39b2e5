/** What is frozen, large: nobody should look for another reason. */
import type { Freeze } from '../../wire.ts';
import { freezeUntilMs } from '../model/budgets.ts';
import { splitTimes } from '../model/timed-text.ts';
import { Time, TimedText } from './time.tsx';

export function FreezeNotice({ freezes }: { readonly freezes: readonly Freeze[] }) {
  if (freezes.length === 0) return null;
  return (
    <section class="freeze" aria-label="Frozen">
      {freezes.map((freeze) => (
        <p key={freeze.pool}>
          <strong>
            <span aria-hidden="true">❄ </span>
            {freeze.pool === '*' ? 'All disruption is frozen' : `NodePool ${freeze.pool} is frozen`}
          </strong>
          <Until freeze={freeze} />
          {freeze.text === '' ? null : (
            <>
              : <TimedText text={freeze.text} />
            </>
          )}
        </p>
      ))}
    </section>
  );
}

/** Unless the text says it. */
function Until({ freeze }: { readonly freeze: Freeze }) {
  const untilMs = freezeUntilMs(freeze);
  if (untilMs === null) return ' until it is lifted';
  if (splitTimes(freeze.text).includes(untilMs)) return null;
  return (
    <>
      {' '}
      until <Time ms={untilMs} />
    </>
  );
}
