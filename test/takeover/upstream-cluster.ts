/** A cluster that Karpenter runs on some cloud, as the tests of every cloud see it: two pools, a class, nodes with a pod each. */
import type { KubeObject, ResourceRef } from '@chandler/kube';
import type { Environment } from '../../packages/chandler/src/settings/index.ts';
import type { PoolName } from './objects.ts';
import type { TakeoverStage } from './stage.ts';

export interface TakeoverCloud {
  /** In the names of tests. */
  readonly title: string;
  readonly nodeClasses: ResourceRef;
  /** The annotation with the hash of the class, and the version that is written today. */
  readonly classHash: { readonly key: string; readonly version: string };
  /** Writes to the cloud that no node notices. */
  readonly housekeeping?: RegExp;
  /** How often controllers of this cloud alone have run an hour after the takeover, at least. */
  reconciles(nodes: number): Readonly<Record<string, number>>;
  start(nodes: number): Promise<UpstreamCluster>;
}

export interface UpstreamCluster {
  readonly stage: TakeoverStage;
  /** For an operator that takes it over: Karpenter's own environment. */
  readonly env: Environment;
  /** Of the claims. */
  readonly names: readonly string[];
  /** When Karpenter did all this. */
  readonly time: string;
  /** The numbers that Karpenter computes. */
  readonly hashes: {
    readonly pools: Readonly<Record<PoolName, string>>;
    /** Of the pool `general` whose nodes have the label `team: other`. */
    readonly changedPool: string;
    readonly nodeClass: string;
  };
  nodeNameOf(claim: KubeObject): string;
  /** Karpenter created a claim and launched its instance, and ended before it had written that down. */
  beginLaunch(claimName: string): Promise<void>;
  /** What the cloud has and these claims do not, or the other way round. */
  mismatch(claims: readonly KubeObject[]): readonly string[];
  /** Checks what only this cloud has of a node that was launched after the takeover. */
  expectAccepted(launched: LaunchedNode): void;
}

export interface LaunchedNode {
  readonly claim: KubeObject;
  readonly node: KubeObject;
  readonly poolName: string;
}
