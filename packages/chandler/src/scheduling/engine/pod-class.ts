/**
 * What the engine knows of a class of equal pods, and of each relaxation of its ladder once that is compiled. `pod-classes.ts`
 * finds the class of a pod, `variant.ts` compiles a relaxation.
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
import type { Counting, GroupRegistry } from './group-registry.ts';
import type { NodeTable } from './nodes.ts';
import type { PoolEntry } from './pools.ts';
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
  /** Groups that count where pods of this class keep others away. */
  readonly keepsAway: readonly TopologyGroup[];
  readonly counting: Counting;
  /** What it depended on when it last found no place, in which run, and how far it had climbed down. */
  failure: { run: number; changes: number; relaxation: number };
}

/** A group that binds the pod in domains other than hosts. */
export interface DomainRule {
  readonly group: TopologyGroup;
  readonly self: boolean;
  /** The domains the pod itself allows; undefined: all. */
  readonly podDomains: Requirement | undefined;
  /** The rule does not bind the pod: it only wants to know where the pod is. */
  readonly onlyDecides: boolean;
}

/** One relaxation of a class's ladder, compiled. */
export interface Variant {
  readonly podClass: PodClass;
  readonly relaxation: Relaxation;
  /** How many groups there were: with more, other pods may keep this one away. */
  readonly groupCount: number;
  /** Everything, preferences included. */
  readonly all: RequirementSet;
  readonly strict: RequirementSet;
  /** Two of the pod's own conditions that exclude each other. */
  readonly contradiction: { readonly first: Requirement; readonly second: Requirement } | null;
  readonly tolerations: TolerationSet;
  readonly alternatives: readonly RequirementSet[] | undefined;
  readonly ports: readonly HostPort[];
  readonly domainRules: readonly DomainRule[];
  /** The labels that the rules are about. */
  readonly domainKeys: readonly number[];
  readonly hostAffinities: readonly HostRule[];
  readonly host: HostSignature;
  readonly fit: FitSignature;
  /** Nodes whose labels and taints suit, volumes included. */
  readonly nodes: Bits;
  /** By state: where it leads without topology. */
  readonly statics: (readonly State[] | undefined)[];
  /** By state: where it leads, and at which versions of the groups that was found. */
  readonly narrowings: (Narrowing | undefined)[];
  /** By label and the node's domains of it: what topology leaves. */
  readonly choices: Map<number, { readonly version: number; readonly choices: readonly Requirement[] }>;
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
  readonly nodes: NodeTable;
  readonly pools: readonly PoolEntry[];
  readonly options: SchedulingOptions;
  readonly input: SchedulingInput;
  readonly reader: SpecReader;
  readonly labelClasses: LabelClasses;
}
