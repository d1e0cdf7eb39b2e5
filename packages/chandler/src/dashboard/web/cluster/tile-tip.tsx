/** What a tile means in words: for the pointer as a small box, for screen readers as the name of its link. */
import type { NodeRow, PodPhase, PodRow } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { cores, count, duration, memory, percent, pricePerHour } from '../model/format.ts';
import type { NodeLoad } from '../model/store.ts';
import { TimedText } from '../parts/time.tsx';

export const POD_PHASES: Readonly<Record<PodPhase, string>> = {
  p: 'pending',
  c: 'being created',
  r: 'running',
  l: 'terminating',
  f: 'failed',
};

/** `ip-10-0-1-2, NodePool general, Ready, m7g.2xlarge, CPU 74% requested, memory 51% requested, 12 pods, $0.391/h`. */
export function nodeText(node: NodeRow, load: NodeLoad | undefined, hasPods: boolean): string {
  const requests = [
    `CPU ${percent(load?.cpuMillis ?? 0, node.cpuMillis ?? 0)} requested`,
    `memory ${percent(load?.memoryBytes ?? 0, node.memoryBytes ?? 0)} requested`,
    count(load?.pods.size ?? 0, 'pod'),
  ];
  return [
    node.name,
    node.pool === null ? 'no NodePool' : `NodePool ${node.pool}`,
    node.phaseText,
    node.type,
    node.zone,
    node.capacity,
    ...(hasPods ? requests : []),
    node.pricePerHour === null ? 'price not known' : pricePerHour(node.pricePerHour),
  ]
    .filter((part) => part !== null && part !== '')
    .join(', ');
}

export function TileTip({
  x,
  y,
  name,
  pod,
  isLow,
  width,
}: {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly pod: PodRow | undefined;
  readonly isLow: boolean;
  readonly width: number;
}) {
  const { store, connection } = useApp();
  const node = store.nodes.get(name);
  if (node === undefined) return null;
  const load = store.loadOf(name);
  const left = Math.max(8, Math.min(x + 16, width - 280));
  return (
    <div
      class={isLow ? 'tip tip-above' : 'tip'}
      aria-hidden="true"
      style={{ left: `${left}px`, top: `${isLow ? y - 8 : y + 16}px` }}
    >
      <p>
        <strong>{node.name}</strong>
      </p>
      <p class="soft">{[node.phaseText, node.type, node.zone, node.capacity].filter(Boolean).join(' · ')}</p>
      {store.hasPods ? (
        <p>
          Requested: CPU {cores(load?.cpuMillis ?? 0)} of {cores(node.cpuMillis)} · memory{' '}
          {memory(load?.memoryBytes ?? 0)} of {memory(node.memoryBytes)}
        </p>
      ) : null}
      <p>
        {store.hasPods ? `${count(load?.pods.size ?? 0, 'pod')} · ` : ''}
        {pricePerHour(node.pricePerHour)}
        {node.createdMs === null ? '' : ` · ${duration(connection.serverNowMs() - node.createdMs)}`}
      </p>
      {node.staying[0] === undefined ? null : (
        <p class="soft">
          Stays: <TimedText text={node.staying[0].text} />
        </p>
      )}
      {pod === undefined ? null : (
        <p class="tip-pod">
          <strong>
            {pod[0]}/{pod[1]}
          </strong>{' '}
          {POD_PHASES[pod[3]]} · {cores(pod[4])} · {memory(pod[5])}
        </p>
      )}
    </div>
  );
}
