/**
 * The resources that DaemonSets will use on a new node. Instance types on which the same daemons would run
 * form a group with one sum of requests and one set of host ports.
 */
import type { Taint } from '@chandler/kube';
import { andInto, type Bits, emptyBits, fullBits, hasBit, orInto } from '../bits.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { HostPort } from '../host-ports.ts';
import type { DaemonSet, PodSpec, Toleration } from '../model.ts';
import { withLimitsAsRequests } from '../pod-requests.ts';
import { type ReadSpec, readSpec } from '../pods/read-spec.ts';
import { resourceClaimsOf } from '../pods/resource-claims.ts';
import type { InputError } from '../refusal.ts';
import { unsupportedClaims } from '../refusal-text.ts';
import { type Algebra, excludes, type Requirement, type RequirementSet } from '../requirements/algebra.ts';
import { addAmounts, expand, type Requests, type Resources } from '../resources.ts';
import { namespaceOf } from '../shapes/named-pods.ts';
import { TOLERATE_SOFT_TAINTS, untoleratedTaint } from '../taints.ts';

export interface Daemon {
  readonly name: string;
  readonly spec: ReadSpec;
  readonly amounts: readonly number[];
  readonly tolerations: readonly Toleration[];
  /** Node selector combined with each required term; one of them must hold. */
  readonly alternatives: readonly RequirementSet[];
}

export interface DaemonGroup {
  readonly daemons: readonly Daemon[];
  readonly amounts: readonly number[];
  readonly requests: Requests;
  readonly ports: readonly HostPort[];
}

export function readDaemons(
  algebra: Algebra,
  resources: Resources,
  daemonSets: readonly DaemonSet[],
  errors: InputError[],
): Daemon[] {
  const daemons: Daemon[] = [];
  for (const daemonSet of daemonSets) {
    const pod = podSpecOf(daemonSet);
    const name = `${namespaceOf(daemonSet.metadata)}/${daemonSet.metadata.name ?? ''}`;
    // Such a daemon is ignored, as in upstream.
    const claims = resourceClaimsOf(pod);
    if (claims.length > 0) {
      const problem = `has ${unsupportedClaims(claims)}: its requests are not counted`;
      errors.push({ object: `DaemonSet/${name}`, field: 'spec.template.spec', problem });
      continue;
    }
    const spec = readSpec(algebra, resources, { spec: pod });
    if ('code' in spec) {
      const { field, problem } = spec.code === 'InvalidPod' ? spec : { field: 'spec', problem: spec.code };
      errors.push({ object: `DaemonSet/${name}`, field: `spec.template.${field}`, problem });
      continue;
    }
    const terms = spec.requiredTerms.length === 0 ? [[]] : spec.requiredTerms;
    daemons.push({
      name,
      spec,
      amounts: expand(spec.requests),
      tolerations: [...spec.tolerations, TOLERATE_SOFT_TAINTS],
      alternatives: terms.map((term) => algebra.set([...spec.nodeSelector, ...term])),
    });
  }
  return daemons;
}

export interface GroupingContext {
  readonly algebra: Algebra;
  readonly resources: Resources;
  readonly daemons: readonly Daemon[];
  readonly isWellKnown: (key: number) => boolean;
}

export function groupByDaemons(
  context: GroupingContext,
  catalogue: Catalogue,
  template: RequirementSet,
  taints: readonly Taint[],
): { groups: DaemonGroup[]; groupOfRow: Int32Array } {
  const candidates = context.daemons
    .filter((daemon) => untoleratedTaint(taints, daemon.tolerations) === undefined)
    .map((daemon) => ({ daemon, rows: rowsOf(context, catalogue, template, daemon) }));
  const groups = new Map<string, number>();
  const result: DaemonGroup[] = [];
  const groupOfRow = new Int32Array(catalogue.rows.length);
  if (candidates.length === 0) return { groups: [buildGroup(context.resources, [])], groupOfRow };
  for (let row = 0; row < groupOfRow.length; row++) {
    const own = candidates.filter(({ rows }) => hasBit(rows, row));
    const key = own.map(({ daemon }) => daemon.name).join();
    let group = groups.get(key);
    if (group === undefined) {
      group = result.length;
      groups.set(key, group);
      result.push(
        buildGroup(
          context.resources,
          own.map(({ daemon }) => daemon),
        ),
      );
    }
    groupOfRow[row] = group;
  }
  return { groups: result, groupOfRow };
}

/** Whether the labels can meet the requirements; undefined well-known labels can. */
export function templateAllows(
  context: Pick<GroupingContext, 'algebra' | 'isWellKnown'>,
  template: RequirementSet,
  wanted: RequirementSet,
): boolean {
  return wanted.items.every((requirement) => {
    const own = template.items.find((item) => item.key === requirement.key);
    if (own !== undefined) return context.algebra.overlaps(own, requirement);
    return context.isWellKnown(requirement.key) || excludes(requirement);
  });
}

// ---------------------------------------------------------------------------------------------------------------

/** The newest pod includes changes by admission plugins, but its required node affinity names its own node. */
function podSpecOf({ pod, spec }: DaemonSet): PodSpec {
  const template = withLimitsAsRequests(spec.template.spec);
  if (pod === undefined) return template;
  const required = template.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const { requiredDuringSchedulingIgnoredDuringExecution: _own, ...rest } =
    pod.spec.affinity?.nodeAffinity ?? {};
  const nodeAffinity =
    required === undefined ? rest : { ...rest, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...pod.spec, affinity: { ...pod.spec.affinity, nodeAffinity } };
}

function rowsOf(
  context: GroupingContext,
  catalogue: Catalogue,
  template: RequirementSet,
  daemon: Daemon,
): Bits {
  const result = emptyBits(catalogue.rows.length);
  for (const alternative of daemon.alternatives) {
    if (!templateAllows(context, template, alternative)) continue;
    orInto(result, rowsMeetingAll(catalogue, alternative.items));
  }
  return result;
}

function rowsMeetingAll(catalogue: Catalogue, requirements: readonly Requirement[]): Bits {
  const rows = fullBits(catalogue.rows.length);
  for (const requirement of requirements) {
    const meeting = catalogue.rowsMeeting(requirement);
    if (meeting !== undefined) andInto(rows, meeting);
  }
  return rows;
}

function buildGroup(resources: Resources, daemons: readonly Daemon[]): DaemonGroup {
  const amounts = daemons.map((daemon) => daemon.amounts).reduce(addAmounts, []);
  return {
    daemons,
    amounts,
    requests: resources.requests(amounts),
    ports: daemons.flatMap((daemon) => daemon.spec.ports),
  };
}
