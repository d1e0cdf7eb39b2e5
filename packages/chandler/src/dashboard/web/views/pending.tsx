/** Each group of pending pods with what `chandler why` says about it. */
import type { PendingAnswer, PendingGroup } from '../../wire.ts';
import { useAnswer, useRoute, useServerNow } from '../app-context.ts';
import { hasWords, wordsOf } from '../model/choose-nodes.ts';
import type { Table } from '../model/csv.ts';
import { count, duration } from '../model/format.ts';
import { ExplanationView, poolReasons } from '../parts/explanation.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Subject } from '../parts/link.tsx';
import { Answered, Empty } from '../parts/states.tsx';

const SHOWN_PODS = 20;

export function Pending() {
  const answer = useAnswer<PendingAnswer>('pending', 'pending', 'nodes', 'settings', 'claims');
  return <Answered answer={answer}>{(value) => <Groups answer={value} />}</Answered>;
}

function Groups({ answer }: { readonly answer: PendingAnswer }) {
  const { q } = useRoute();
  const nowMs = useServerNow(5000);
  const words = wordsOf(q);
  const groups = answer.groups.filter(({ namespace, workload, pods, answer: { standing } }) =>
    hasWords(words, namespace, workload, standing, ...pods),
  );
  if (answer.groups.length === 0)
    return <Empty title="No pod is pending">Every pod that can be scheduled has a node.</Empty>;
  return (
    <>
      <div class="toolbar">
        <span>
          {count(groups.length, 'group')} of pods
          {answer.further > 0 ? `, ${count(answer.further, 'more group')} not explained` : ''}
        </span>
        <ExportButtons name="pending" table={() => tableOf(groups)} />
      </div>
      {groups.length === 0 ? <Empty title="No pending pod matches the search" /> : null}
      {groups.map((group) => (
        <section class="card" key={`${group.namespace}/${group.workload}`}>
          <h2>
            {group.workload} <span class="soft">{group.namespace}</span>
          </h2>
          {group.sinceMs === null ? null : <p class="soft">pending for {duration(nowMs - group.sinceMs)}</p>}
          <ExplanationView answer={group.answer} brief />
          <PodNames group={group} />
        </section>
      ))}
    </>
  );
}

function PodNames({ group }: { readonly group: PendingGroup }) {
  const shown = group.pods.slice(0, SHOWN_PODS);
  return (
    <details>
      <summary>{count(group.count, 'pod')}</summary>
      <ul class="names">
        {shown.map((name) => (
          <li key={name}>
            <Subject subject={`Pod/${group.namespace}/${name}`}>{name}</Subject>
          </li>
        ))}
        {group.count > shown.length ? <li class="soft">and {group.count - shown.length} more</li> : null}
      </ul>
    </details>
  );
}

function tableOf(groups: readonly PendingGroup[]): Table {
  return {
    columns: ['namespace', 'workload', 'pods', 'since', 'standing', 'cause', 'nodePools', 'fix'],
    rows: groups.map(({ namespace, workload, count: pods, sinceMs, answer }) => [
      namespace,
      workload,
      pods,
      sinceMs === null ? null : new Date(sinceMs).toISOString(),
      answer.standing,
      String(answer.cause?.['title'] ?? ''),
      poolReasons(answer),
      String(answer.cause?.['fix'] ?? ''),
    ]),
  };
}
