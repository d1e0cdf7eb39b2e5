/** A kind whose conditions are measured, and how labels of its objects become labels of metrics. */
import type { KubeObject, Reflector, ResourceRef } from '@chandler/kube';

export interface WatchedKind {
  readonly resource: ResourceRef;
  readonly reflector: Reflector;
  /** Labels of the object that become labels of its metrics. */
  readonly labels: readonly string[];
  /** Also under the names without the kind. */
  readonly deprecated: boolean;
  /** Upstream uses finer buckets for node classes. */
  readonly coarse: boolean;
}

/** `karpenter.sh/nodepool` becomes `karpenter_sh_nodepool`. */
export function metricLabelOf(label: string): string {
  return label.replace(/[/.-]/g, '_');
}

export function ownLabels({ labels }: WatchedKind, object: KubeObject): Record<string, string> {
  const own = object.metadata.labels ?? {};
  return Object.fromEntries(labels.map((label) => [metricLabelOf(label), own[label] ?? '']));
}
