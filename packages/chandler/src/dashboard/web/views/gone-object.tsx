/** Instead of the page of an object that is not in the cluster: what is still known about it. */
import type { TimelineAnswer } from '../../wire.ts';
import { useAnswer } from '../app-context.ts';
import { toView } from '../model/route.ts';
import { Link, Subject } from '../parts/link.tsx';
import { Time, TimedText } from '../parts/time.tsx';

const MAX_ENTRIES = 50;

export function GoneObject({ subject }: { readonly subject: string }) {
  const timeline = useAnswer<TimelineAnswer>('timeline', 'happened');
  const kind = subject.split('/', 1)[0]!;
  const name = subject.slice(subject.lastIndexOf('/') + 1);
  const entries = (timeline.value?.happened ?? []).filter(
    (each) => each.subject === subject || each.subject.endsWith(`/${name}`) || each.text.includes(name),
  );
  const claims = [...new Set(entries.map((each) => each.subject))].filter(
    (each) => each.startsWith('NodeClaim/') && each !== subject,
  );
  return (
    <section class="card">
      <h2>
        {kind} {name} is not in the cluster
      </h2>
      <p>
        It was removed, or never existed.{' '}
        <Link to={toView('timeline', name)}>Everything about {name} in the timeline</Link>
        {kind === 'Node' || kind === 'NodeClaim' ? (
          <>
            {' · '}
            <Link to={toView('claims', name)}>NodeClaims with this name</Link>
          </>
        ) : null}
      </p>
      {claims.length === 0 ? null : (
        <p>
          NodeClaims:{' '}
          {claims.map((claim) => (
            <span key={claim}>
              <Subject subject={claim} />{' '}
            </span>
          ))}
        </p>
      )}
      {entries.length === 0 ? (
        <p class="soft">
          {timeline.value === null ? 'Reading the timeline …' : 'The last hours have nothing about it.'}
        </p>
      ) : (
        <ul class="plain">
          {entries
            .slice(-MAX_ENTRIES)
            .toReversed()
            .map((each, at) => (
              <li key={at} class={each.warning ? 'row-warning' : undefined}>
                <Time ms={each.atMs} /> <code>{each.reason}</code> <TimedText text={each.text} />
              </li>
            ))}
        </ul>
      )}
    </section>
  );
}
