/**
 * A class of equal pods, and each of its relaxations once compiled. `pod-classes.ts` finds the class of a
 * pod, `variant.ts` compiles a relaxation.
 */
import type { Bits } from '../bits.ts';
import type { HostPort } from '../host-ports.ts';
import type { SchedulingInput, SchedulingOptions } from '../model.ts';
import type { ReadSpec } from '../pods/read-spec.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import type { SpecReader } from '../pods/spec-reader.ts';
import type { PodProblem } from '../refusal.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import type { Requests, Resources } from '../resources.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { LabelClass, LabelClasses } from '../topology/label-classes.ts';
import type { VolumeIndex, VolumeNeeds } from '../volumes/volume-index.ts';
import type { Counting } from './active-groups.ts';
import type { GroupRegistry } from './group-registry.ts';
import type { NodeTable } from './nodes.ts';
import type { PoolEntry } from './pools.ts';
import type { RegionalOfferings } from './regional-offerings.ts';
import type { FitSignature, HostRule, HostSignature, TolerationSet } from './signatures.ts';
import type { State } from './states.ts';

export interface PodClass {
  readonly id: number;
  readonly spec: ReadSpec;
  readonly labels: LabelClass;
  readonly volumes: VolumeNeeds;
  /** With attachments of volumes. */
  readonly requests: Requests;
  readonly problem: PodProblem | null;
  readonly relaxations: readonly Relaxation[];
  readonly variants: Variant[];
  /** Inverse groups that count the pods of this class. */
  readonly keepsAway: readonly TopologyGroup[];
  /** All groups that the pods have, with all preferences. */
  readonly groups: readonly TopologyGroup[];
  /** Those of its spreads that must hold. */
  readonly hardSpreads: readonly TopologyGroup[];
  /** The groups that count pods of this class; of the last request that had such pods. */
  counting: Counting;
  /**
   * Whether the domains of its pods are decided for all spreads that count them, although the pods could be bound last. Where
   * minValues leaves a domain open, no other pod relies on them.
   */
  readonly decidesDomains: boolean;
  /** The last failure: the run, the version of the counts it depends on, and the relaxation. */
  failure: { run: number; changes: number; relaxation: number };
}

/** Whether no rule about other pods binds pods of the class, and none wants to be near them: they can be bound last. */
export function mayComeLast({ spec, counting, decidesDomains }: PodClass): boolean {
  if (decidesDomains || spec.spreads.length > 0 || spec.affinity.required.length > 0) return false;
  const isWanted = ({ spec: { kind } }: TopologyGroup) => kind === 'affinity';
  return !counting.domains.some(isWanted) && !counting.hosts.some(isWanted);
}

/** A group that constrains the pod in domains other than hosts. */
export interface DomainRule {
  readonly group: TopologyGroup;
  readonly self: boolean;
  /** The domains the pod itself allows; undefined: all. */
  readonly podDomains: Requirement | undefined;
  /** The rule does not constrain the pod: it only needs the domain of the pod to be decided. */
  readonly onlyDecides: boolean;
  /**
   * A required anti-affinity: the pod decides its domain. In an open domain it would keep the others of its kind out of all of
   * them, and in the next plan out of none, since the claim has no such label until its instance exists.
   */
  readonly claimsDomain: boolean;
  /** A required affinity: while selected pods still exist on nodes that are being removed, kube-scheduler keeps to their domains. */
  readonly followsLeaving: boolean;
}

/** One compiled relaxation of a class. */
export interface Variant {
  readonly podClass: PodClass;
  readonly relaxation: Relaxation;
  /** The groups that counted the pod at compile time, and their number: other groups may constrain it otherwise. */
  readonly counting: Counting;
  readonly groupCount: number;
  /** All requirements, including preferences. */
  readonly all: RequirementSet;
  readonly strict: RequirementSet;
  /** Two requirements of the pod that contradict each other. */
  readonly contradiction: { readonly first: Requirement; readonly second: Requirement } | null;
  readonly tolerations: TolerationSet;
  readonly alternatives: readonly RequirementSet[] | undefined;
  readonly ports: readonly HostPort[];
  readonly domainRules: readonly DomainRule[];
  /** The label keys of the rules. */
  readonly domainKeys: readonly number[];
  /** Spreads of other pods that must know whether they count the pod. */
  readonly settles: readonly TopologyGroup[];
  readonly hostAffinities: readonly HostRule[];
  readonly host: HostSignature;
  readonly fit: FitSignature;
  /** Nodes whose labels and taints match, volumes included, with room before the run. */
  readonly nodes: Bits;
  /** By state: the states after adding the pod, without topology. */
  readonly statics: (readonly State[] | undefined)[];
  /** By state: the states after adding the pod, and the group versions of that result. */
  readonly narrowings: (Narrowing | undefined)[];
  /** By label and the node's domains: the domains that topology allows. */
  readonly choices: Map<number, { readonly version: number; readonly choices: readonly DomainChoice[] }>;
  /** By state: the price of a node for the pod. */
  readonly prices: (number | undefined)[];
}

/** A requirement on a label that its rules allow. */
export interface DomainChoice {
  readonly requirement: Requirement;
  /** How many pods the spreads count there. */
  readonly load: number;
}

export interface Narrowing {
  readonly version: number;
  readonly targets: readonly State[];
}

/** What classes and their variants are compiled from. */
export interface ClassContext {
  readonly algebra: Algebra;
  readonly resources: Resources;
  readonly volumes: VolumeIndex;
  readonly groups: GroupRegistry;
  readonly regional: RegionalOfferings;
  readonly nodes: NodeTable;
  readonly pools: readonly PoolEntry[];
  readonly options: SchedulingOptions;
  readonly input: SchedulingInput;
  readonly reader: SpecReader;
  readonly labelClasses: LabelClasses;
}
