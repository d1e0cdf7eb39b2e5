/**
 * Why a pod goes nowhere, as data: a closed set of codes, each with the facts that decided it.
 * A refusal is true: take the named obstacle away and this refusal does not come again.
 * Text for people is made from it in `refusal-text.ts`.
 */
import type { Taint } from '@chandler/kube';

/** One obstacle. */
export type Refusal =
  | { readonly code: 'TaintNotTolerated'; readonly taint: Taint }
  | {
      /** The label is not defined there, and a pod may not assume it. */
      readonly code: 'LabelUndefined';
      readonly key: string;
      readonly wanted: string;
      /** A key that is known and looks alike. */
      readonly similar: string | null;
    }
  | {
      readonly code: 'RequirementIncompatible';
      readonly key: string;
      readonly wanted: string;
      readonly offered: string;
      /** Who asks: the pod itself, or a volume it mounts. */
      readonly source: 'pod' | 'volume';
    }
  | {
      readonly code: 'ResourceInsufficient';
      readonly resource: string;
      /** By the pod, the daemons and what is already there. */
      readonly requested: string;
      readonly available: string;
      readonly missing: string;
    }
  | {
      /** Types meet the requirements and are large enough, but none that does both can be bought. */
      readonly code: 'NoOffering';
    }
  | {
      /** No type meets all of it at once, though each condition alone is met by some. */
      readonly code: 'NoTypeMeetsAll';
      readonly requirements: readonly string[];
    }
  | { readonly code: 'MinValuesUnmet'; readonly key: string; readonly wanted: number; readonly found: number }
  | {
      readonly code: 'LimitExceeded';
      readonly resource: string;
      readonly limit: string;
      readonly remaining: string;
      /** The least any fitting type would take. */
      readonly needed: string;
    }
  /** `soldOut`: what it allows exists, and cannot be had now. */
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

/** An obstacle that lies in the pod, wherever it would go. */
export type PodProblem =
  | { readonly code: 'InvalidPod'; readonly field: string; readonly problem: string }
  | { readonly code: 'ResourceClaims'; readonly claims: readonly string[] }
  | { readonly code: 'VolumeClaimMissing'; readonly claim: string }
  | { readonly code: 'StorageClassMissing'; readonly claim: string; readonly storageClass: string }
  | { readonly code: 'VolumeMissing'; readonly claim: string; readonly volume: string }
  | { readonly code: 'NoPools' };

/** Pods of one shape that share their reasons. */
export interface PodRefusal {
  /** `namespace/name`, in the order of the queue. */
  readonly pods: readonly string[];
  /** Not null: no node was looked at. */
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
  /** What stopped the pool as a whole, before or after its types were looked at. */
  readonly refusal: Refusal;
  /** Groups of instance types by what stopped them. */
  readonly types: readonly CountedRefusal[];
  /** Set when the types decided: which of the three conditions were met by some type, alone and in pairs. */
  readonly filter: TypeFilter | null;
}

export interface TypeFilter {
  readonly requirementsMet: boolean;
  readonly fits: boolean;
  readonly hasOffering: boolean;
  readonly requirementsAndFits: boolean;
  readonly requirementsAndOffering: boolean;
  readonly fitsAndOffering: boolean;
  /** None fits, but of all types, those over a limit too, some would: none of its offerings is available and allowed. */
  readonly fitsUnsold: boolean;
  /** What was asked of the types, sorted. */
  readonly requirements: readonly string[];
  /** Pod and daemons; the least and the most where daemons differ between types. */
  readonly resources: { readonly least: Amounts; readonly most: Amounts };
}

export type Amounts = Readonly<Record<string, string>>;

export interface CountedRefusal {
  readonly refusal: Refusal;
  readonly count: number;
  /** A few of them by name. */
  readonly examples: readonly string[];
}

/** Something in the input that cannot be used. */
export interface InputError {
  /** `NodePool/default`, `Pod/shop/web-1`, `InstanceType/m5.large`. */
  readonly object: string;
  readonly field: string;
  readonly problem: string;
}
