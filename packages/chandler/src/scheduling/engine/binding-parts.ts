/** Which pods matter for the order in which kube-scheduler binds the pods of a plan: those whose spreads count each other. */
import type { TopologyGroup } from '../topology/group.ts';
import type { PodClass } from './pod-class.ts';

export function domainSpreads({ hardSpreads }: PodClass): TopologyGroup[] {
  return hardSpreads.filter(({ spec }) => !spec.host);
}

export function hasTwoSpreads(podClass: PodClass): boolean {
  return domainSpreads(podClass).length > 1;
}

/** Classes whose spreads count each other's pods. */
export interface Part {
  readonly classes: ReadonlySet<PodClass>;
  readonly groups: ReadonlySet<TopologyGroup>;
}

/** Those in which a class has two spreads. */
export function* partsOf(all: readonly PodClass[]): Generator<Part> {
  const hard = new Set(all.flatMap(domainSpreads));
  const groupsOf = (podClass: PodClass) => [
    ...domainSpreads(podClass),
    ...podClass.counting.domains.filter((group) => hard.has(group)),
  ];
  const classesOf = new Map<TopologyGroup, PodClass[]>();
  for (const podClass of all) {
    for (const group of new Set(groupsOf(podClass))) {
      const list = classesOf.get(group);
      if (list === undefined) classesOf.set(group, [podClass]);
      else list.push(podClass);
    }
  }
  const seen = new Set<PodClass>();
  for (const owner of all) {
    if (seen.has(owner) || !hasTwoSpreads(owner)) continue;
    const classes = new Set([owner]);
    const groups = new Set<TopologyGroup>();
    for (const podClass of classes) {
      seen.add(podClass);
      for (const group of groupsOf(podClass)) {
        if (groups.has(group)) continue;
        groups.add(group);
        for (const other of classesOf.get(group)!) classes.add(other);
      }
    }
    yield { classes, groups };
  }
}
