/**
 * Whether anything changed that disruption depends on. While nothing did, no pass is needed: it would give the same result.
 * Times are watched by `plan-pace.ts`.
 */
import type { Node, Pod, Source, StoreChange } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import { POD_DELETION_COST } from '../../disruption/index.ts';
import { conditionOf } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';

export class Changes {
  #changed = true;
  #count = 0;

  /** Of all changes so far. */
  get count(): number {
    return this.#count;
  }

  take(): void {
    this.#changed = false;
  }

  /** Whether there was a change since the last `take`. */
  get pending(): boolean {
    return this.#changed;
  }

  note(): void {
    this.#changed = true;
    this.#count += 1;
  }

  /** Feeds no queue: passes run at an interval. */
  source({ stores, settings, freezes }: ControllerContext): Source {
    const note = () => this.note();
    // What the controller writes itself changes nothing.
    const ignored = settings.gates.PodDeletionCostManagement ? POD_DELETION_COST : undefined;
    const plain = [
      stores.pools,
      stores.budgets,
      stores.daemonSets,
      stores.volumes,
      stores.volumeClaims,
      stores.storageClasses,
      stores.csiNodes,
      stores.namespaces,
      ...stores.nodeClasses.values(),
      ...(stores.overlays === undefined ? [] : [stores.overlays]),
      ...(stores.workloads === undefined
        ? []
        : [stores.workloads.deployments, stores.workloads.statefulSets]),
    ];
    const reflectors = [stores.pods, stores.nodes, stores.claims, ...plain];
    return {
      synced: Promise.all(reflectors.map(({ synced }) => synced)),
      start: () => {
        const ends = [
          stores.pods.store.subscribe((change) => this.#noteIf(podMatters(change, ignored))),
          stores.nodes.store.subscribe((change) => this.#noteIf(nodeMatters(change))),
          stores.claims.store.subscribe((change) => this.#noteIf(claimMatters(change))),
          ...plain.map(({ store }) => store.subscribe(note)),
          settings.onChange(note),
          freezes.onChange(note),
        ];
        return () => {
          for (const end of ends) end();
        };
      },
    };
  }

  #noteIf(matters: boolean): void {
    if (matters) this.note();
  }
}

// ---------------------------------------------------------------------------------------------------

function podMatters({ type, object, before }: StoreChange<Pod>, ignored: string | undefined): boolean {
  if (type !== 'updated' || before === undefined) return true;
  return (
    differs(object.spec, before.spec) ||
    object.status?.phase !== before.status?.phase ||
    object.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
    differs(without(object.metadata.annotations, ignored), without(before.metadata.annotations, ignored)) ||
    differs(object.metadata.labels, before.metadata.labels) ||
    conditionOf(object, 'Ready')?.status !== conditionOf(before, 'Ready')?.status ||
    conditionOf(object, 'PodScheduled')?.reason !== conditionOf(before, 'PodScheduled')?.reason
  );
}

/** Heartbeats do not matter. */
function nodeMatters({ type, object, before }: StoreChange<Node>): boolean {
  if (type !== 'updated' || before === undefined) return true;
  return (
    object.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
    conditionsText(object) !== conditionsText(before) ||
    differs(object.spec, before.spec) ||
    differs(object.status?.allocatable, before.status?.allocatable) ||
    differs(object.metadata.annotations, before.metadata.annotations) ||
    differs(object.metadata.labels, before.metadata.labels)
  );
}

/** Repair reads all of them. Without the heartbeats and the messages, which may hold a count or a time. */
function conditionsText({ status }: Node): string {
  return (status?.conditions ?? [])
    .map(({ type, status: value, reason, lastTransitionTime }) =>
      [type, value, reason, lastTransitionTime].join(' '),
    )
    .sort()
    .join();
}

function claimMatters({ type, object, before }: StoreChange<NodeClaim>): boolean {
  if (type !== 'updated' || before === undefined) return true;
  return (
    object.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
    differs(object.status, before.status) ||
    differs(object.metadata.labels, before.metadata.labels)
  );
}

function differs(one: unknown, other: unknown): boolean {
  return one !== other && JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);
}

function without(
  annotations: Readonly<Record<string, string>> | undefined,
  name: string | undefined,
): Readonly<Record<string, string>> {
  if (name === undefined || annotations?.[name] === undefined) return annotations ?? {};
  const { [name]: _, ...rest } = annotations;
  return rest;
}
