/**
 * The default topology spread constraints of the cluster, for pods that have none. As in kube-scheduler, the label
 * selector is deduced: the labels that Services select the pod by, and the selector of its controller. When no selector
 * can be deduced, no constraint applies.
 */
import type { DefaultSpread, LabelSelector, Pod, TopologySpreadConstraint } from '../model.ts';
import { byCodeUnit } from '../requirements/algebra.ts';
import { compileSelector } from '../selectors.ts';
import { namespaceOf } from '../shapes/named-pods.ts';

export class DefaultSpreads {
  readonly #defaults: DefaultSpread;
  #services: ReadonlyMap<string, readonly Service[]> | undefined;
  #controllers: ReadonlyMap<string, Controller> | undefined;

  constructor(defaults: DefaultSpread) {
    this.#defaults = defaults;
  }

  for(pod: Pod): readonly TopologySpreadConstraint[] {
    const labelSelector = this.#selectorFor(pod);
    if (labelSelector === undefined || 'problem' in compileSelector(labelSelector)) return [];
    return this.#defaults.constraints.map((constraint) => ({ ...constraint, labelSelector }));
  }

  #selectorFor(pod: Pod): LabelSelector | undefined {
    const namespace = namespaceOf(pod.metadata);
    const labels = pod.metadata.labels ?? {};
    const merged: Record<string, string> = {};
    this.#services ??= Map.groupBy(this.#defaults.services ?? [], ({ metadata }) => namespaceOf(metadata));
    for (const { selector } of this.#services.get(namespace) ?? []) {
      if (Object.entries(selector).every(([key, value]) => labels[key] === value))
        Object.assign(merged, selector);
    }
    const owner = controllerOf(pod);
    this.#controllers ??= new Map((this.#defaults.controllers ?? []).map((each) => [keyOf(each), each]));
    const controller =
      owner === undefined
        ? undefined
        : this.#controllers.get(controllerKey(owner.kind, namespace, owner.name));
    let matchExpressions: readonly Expression[] = [];
    if (controller !== undefined) {
      // The selector of a ReplicationController replaces labels of Services; others apply in addition.
      if (controller.kind === REPLICATION_CONTROLLER) Object.assign(merged, controller.selector.matchLabels);
      else matchExpressions = expressionsOf(controller.selector);
    }
    // In a fixed order: equal selectors share their counts.
    const matchLabels = Object.fromEntries(
      Object.entries(merged).sort(([one], [other]) => byCodeUnit(one, other)),
    );
    if (Object.keys(merged).length + matchExpressions.length === 0) return undefined;
    return { matchLabels, matchExpressions };
  }
}

/** Pods with the same labels and the same key get the same constraints. */
export function defaultSpreadKey(pod: Pod): string {
  const owner = controllerOf(pod);
  return owner === undefined ? '' : `${owner.kind}/${owner.name}`;
}

// ---------------------------------------------------------------------------------------------------------------

type Service = NonNullable<DefaultSpread['services']>[number];
type Controller = NonNullable<DefaultSpread['controllers']>[number];
type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

const REPLICATION_CONTROLLER = 'ReplicationController';

/** A kind of the same name in another group is another kind. */
const VERSIONS: Readonly<Record<string, string>> = {
  [REPLICATION_CONTROLLER]: 'v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
};

function controllerOf(pod: Pod) {
  const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return undefined;
  const version = VERSIONS[owner.kind];
  // A pod of a file may not say it.
  return version === undefined || !owner.apiVersion || owner.apiVersion === version ? owner : undefined;
}

function keyOf({ kind, metadata }: Controller): string {
  return controllerKey(kind, namespaceOf(metadata), metadata.name);
}

function controllerKey(kind: string, namespace: string, name: string | undefined): string {
  return `${kind}/${namespace}/${name}`;
}

function expressionsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Expression[] {
  const equal = Object.entries(matchLabels)
    .sort(([one], [other]) => byCodeUnit(one, other))
    .map(([key, value]): Expression => ({ key, operator: 'In', values: [value] }));
  return [...equal, ...matchExpressions];
}
