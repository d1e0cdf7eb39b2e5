/** The pending pods beside the tiles: they leave this list when they are placed. */
import { usePlayback, useRoute, useStore } from '../app-context.ts';
import { count, thousands } from '../model/format.ts';
import { pendingByWorkload, requestsText } from '../model/pending-groups.ts';
import { toView } from '../model/route.ts';
import { Link, Subject } from '../parts/link.tsx';

const MAX_GROUPS = 40;

export function PendingSide() {
  const { q } = useRoute();
  const { replay } = usePlayback();
  const store = useStore('pending');
  const groups = pendingByWorkload(store.pending.values(), q);
  return (
    <aside class="side" aria-label="Pending pods">
      <h2>
        Pending <span class="soft">{thousands(store.pending.size)}</span>
      </h2>
      {groups.length === 0 ? (
        <p class="soft">
          {store.pending.size === 0 ? 'No pod is pending.' : 'No pending pod matches the search.'}
        </p>
      ) : (
        <ul class="plain">
          {groups.slice(0, MAX_GROUPS).map(({ namespace, workload, pods }) => (
            <li key={`${namespace}/${workload}`} class="pending-group">
              <Subject subject={`Pod/${namespace}/${pods[0]![1]}`}>{workload}</Subject>
              <span class="soft">
                {namespace} · {count(pods.length, 'pod')} · {requestsText(pods)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {groups.length > MAX_GROUPS ? (
        <p class="soft">and {count(groups.length - MAX_GROUPS, 'more workload')}</p>
      ) : null}
      {groups.length === 0 || replay !== null ? null : (
        <p>
          <Link to={toView('pending', q)}>Why they are pending</Link>
        </p>
      )}
    </aside>
  );
}
