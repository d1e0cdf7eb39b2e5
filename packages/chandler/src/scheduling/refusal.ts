/**
 * Why a pod is unschedulable, as data: a closed set of codes, each with the facts behind it. A refusal is
 * accurate: when the named obstacle is removed, the same refusal does not occur again. `refusal-text.ts`
 * turns it into text.
 */
import type { Taint } from '@chandler/kube';
import type { ClaimProblem } from './volumes/claim-problem.ts';

/** One obstacle. */
export type Refusal =
  | { readonly code: 'TaintNotTolerated'; readonly taint: Taint }
  | {
      /** The label is undefined there and is not well-known. */
      readonly code: 'LabelUndefined';
      readonly key: string;
      readonly wanted: string;
      /** A known key with a similar name. */
      readonly similar: string | null;
    }
  | {
      readonly code: 'RequirementIncompatible';
      readonly key: string;
      readonly wanted: string;
      readonly offered: string;
      /** Whether the pod or one of its volumes requires it. */
      readonly source: 'pod' | 'volume';
    }
  | {
      readonly code: 'ResourceInsufficient';
      readonly resource: string;
      /** By the pod, the daemons and the pods that are already there. */
      readonly requested: string;
      readonly available: string;
      readonly missing: string;
    }
  | {
      /** Some types meet the requirements and are large enough, but none of them has an available offering. */
      readonly code: 'NoOffering';
    }
  | {
      /** No type meets all requirements at once, although each requirement is met by some type. */
      readonly code: 'NoTypeMeetsAll';
      readonly requirements: readonly string[];
    }
  | { readonly code: 'MinValuesUnmet'; readonly key: string; readonly wanted: number; readonly found: number }
  | {
      readonly code: 'LimitExceeded';
      readonly resource: string;
      readonly limit: string;
      readonly remaining: string;
      /** The least that any matching type needs. */
      readonly needed: string;
    }
  /** `soldOut`: the allowed types exist but have no available offering. */
  | { readonly code: 'PoolWithoutTypes'; readonly soldOut?: true }
  | { readonly code: 'ReservedOnly'; readonly reservations: readonly string[] }
  | { readonly code: 'HostPortTaken'; readonly port: number; readonly protocol: string; readonly ip: string }
  | {
      readonly code: 'TopologyUnsatisfiable';
      readonly kind:
        | 'topology spread'
        | 'pod affinity'
        | 'pod anti-affinity'
        | 'pod anti-affinity of another pod';
      readonly key: string;
      readonly maxSkew: number | null;
      readonly minDomains: number | null;
      readonly selector: string;
      /** Matching pods by domain, sorted by domain; of host names only the first ones. */
      readonly counts: Readonly<Record<string, number>>;
      readonly podDomains: string;
      readonly nodeDomains: string;
    }
  | {
      readonly code: 'VolumeLimit';
      readonly driver: string;
      readonly limit: number;
      readonly used: number;
      readonly wanted: number;
    };

export type RefusalCode = Refusal['code'] | PodProblem['code'];

/** An obstacle in the pod itself, independent of any node. */
export type PodProblem =
  | { readonly code: 'InvalidPod'; readonly field: string; readonly problem: string }
  | { readonly code: 'ResourceClaims'; readonly claims: readonly string[] }
  | { readonly code: 'VolumeClaimMissing'; readonly claim: string }
  | { readonly code: 'StorageClassMissing'; readonly claim: string; readonly storageClass: string }
  | { readonly code: 'VolumeMissing'; readonly claim: string; readonly volume: string }
  /** The volume is not ready for a new node. */
  | ({ readonly code: 'VolumeUnbound'; readonly claim: string } & ClaimProblem)
  | { readonly code: 'NoPools' };

/** Pods with equal specs that share their reasons. */
export interface PodRefusal {
  /** `namespace/name`, in the order of the queue. */
  readonly pods: readonly string[];
  /** When set, no node was evaluated. */
  readonly problem: PodProblem | null;
  /** In the order in which pools are tried. */
  readonly pools: readonly PoolRefusal[];
  /** Existing and in-flight nodes, most frequent reason first. */
  readonly nodes: readonly CountedRefusal[];
  /** Claims of this plan, most frequent reason first. */
  readonly claims: readonly CountedRefusal[];
}

export interface PoolRefusal {
  readonly nodePool: string;
  /** The obstacle of the pool as a whole, before or after its types were evaluated. */
  readonly refusal: Refusal;
  /** Instance types, grouped by obstacle. */
  readonly types: readonly CountedRefusal[];
  /** Set when the types were evaluated: which of the three conditions some type met, alone and in pairs. */
  readonly filter: TypeFilter | null;
}

export interface TypeFilter {
  readonly requirementsMet: boolean;
  readonly fits: boolean;
  readonly hasOffering: boolean;
  readonly requirementsAndFits: boolean;
  readonly requirementsAndOffering: boolean;
  readonly fitsAndOffering: boolean;
  /** No type fits, but some would (possibly over a limit) if one of their offerings were available and allowed. */
  readonly fitsUnsold: boolean;
  /** The requirements on the types, sorted. */
  readonly requirements: readonly string[];
  /** Pod and daemons; least and most differ when daemons differ between types. */
  readonly resources: { readonly least: Amounts; readonly most: Amounts };
}

export type Amounts = Readonly<Record<string, string>>;

export interface CountedRefusal {
  readonly refusal: Refusal;
  readonly count: number;
  /** The names of the first few. */
  readonly examples: readonly string[];
}

/** An invalid part of the input. */
export interface InputError {
  /** `NodePool/default`, `Pod/shop/web-1`, `InstanceType/m5.large`. */
  readonly object: string;
  readonly field: string;
  readonly problem: string;
  /** The object is valid by itself but conflicts with another one. */
  readonly conflict?: true;
}
