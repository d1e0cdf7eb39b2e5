/** What the rules of disruption depend on, read from the objects of the API server. */
import type { ObservedObject } from '../../server-state/kube-state.ts';
import { ownerKind, type View } from '../check.ts';

const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const DISRUPTED = 'karpenter.sh/disrupted';
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `90s` in milliseconds; the workloads use no other form. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit]!;
}

/** `true`, or a duration from the start of the pod that has not elapsed. */
export function isProtectedPod({ metadata, status }: ObservedObject, nowMs: number): boolean {
  const text = metadata.annotations?.[DO_NOT_DISRUPT];
  if (text === undefined || text === 'true') return text === 'true';
  const forMs = durationMs(text);
  if (forMs === undefined || forMs === 0) return false;
  return status?.startTime === undefined || Date.parse(status.startTime) + forMs > nowMs;
}

/** It moves by a rolling update of its workload. */
export function asksForSurge({ metadata }: ObservedObject): boolean {
  return metadata.annotations?.['chandler.sh/disruption-surge'] === 'true';
}

export function isProtectedNode({ metadata }: ObservedObject): boolean {
  return metadata.annotations?.[DO_NOT_DISRUPT] === 'true';
}

export function isTainted({ spec }: ObservedObject): boolean {
  return (spec?.taints ?? []).some(({ key }: { key: string }) => key === DISRUPTED);
}

export function isActive({ metadata, status }: ObservedObject): boolean {
  return metadata.deletionTimestamp === undefined && !/Succeeded|Failed/.test(status?.phase ?? '');
}

/** It needs another node when its node is removed. */
export function moves(pod: ObservedObject): boolean {
  return isActive(pod) && !/DaemonSet|Node/.test(ownerKind(pod) ?? '');
}

/** It stays on a node that is drained. */
export function staysOnDrain(pod: ObservedObject): boolean {
  if (ownerKind(pod) === 'Node') return true;
  return (pod.spec.tolerations ?? []).some(
    ({ key = '', operator = 'Equal', effect = '' }: { key?: string; operator?: string; effect?: string }) =>
      (key === '' || key === DISRUPTED) &&
      (operator === 'Exists' || key === DISRUPTED) &&
      (effect === '' || effect === 'NoSchedule'),
  );
}

export function podsOn({ kube }: View, node: string): readonly ObservedObject[] {
  return kube.list('pods').filter(({ spec }) => spec.nodeName === node);
}

export function nodeOfClaim({ kube }: View, claim: ObservedObject): ObservedObject | undefined {
  const { nodeName, providerID } = claim.status ?? {};
  const node = kube.get('nodes', nodeName ?? '');
  return node?.spec?.providerID === providerID ? node : undefined;
}

/** Whatever a process wants: its instance is gone or the cloud ends it, or it has expired. */
export function hasToEnd({ cloud, servers }: View, { metadata, spec }: ObservedObject): boolean {
  const instance = cloud.instanceOf(metadata.uid!);
  if (instance === undefined || cloud.isInterrupted(instance)) return true;
  const lifeMs = durationMs(spec.expireAfter ?? 'Never');
  if (lifeMs === undefined) return false;
  return servers.world.clock.now() >= Date.parse(metadata.creationTimestamp ?? '') + lifeMs;
}

/** How long something has held, by key. */
export class Since {
  readonly #since = new Map<string, number>();

  note(key: string, holds: boolean, nowMs: number): void {
    if (!holds) this.#since.delete(key);
    else if (!this.#since.has(key)) this.#since.set(key, nowMs);
  }

  forMs(key: string, nowMs: number): number {
    return nowMs - (this.#since.get(key) ?? Number.POSITIVE_INFINITY);
  }

  keys(): readonly string[] {
    return [...this.#since.keys()];
  }
}
