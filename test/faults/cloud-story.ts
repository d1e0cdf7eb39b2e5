/** What workloads and checkers need to know of a cloud: its names and its objects. */
import type { KubeState, ObservedObject } from './server-state/kube-state.ts';

export interface CloudStory {
  readonly zones: readonly string[];
  /** Types whose prices move. */
  readonly types: readonly string[];
  /** Types of four cores, and types of two cores, with nearly the same price. */
  readonly pairs: { readonly four: readonly [string, string]; readonly two: readonly [string, string] };
  nodeClass(name: string): object;
  nodeClassRef(name: string): object;
  /** What a pool may use that may use these. */
  capacityTypes(drawn: readonly string[]): readonly string[];
  /** A requirement of instances with fewer cores. */
  fewerCores(than: number): object;
  /** Changes of `spec` of a node class. */
  readonly changes: {
    tags(tags: Readonly<Record<string, string>>): object;
    diskSize(gib: number): object;
  };
  /** What the controller of another provider of Karpenter would have left. */
  readonly others: { readonly nodeClassRef: object; readonly providerID: string };
  /** The name of the node of a claim; undefined: it has none. */
  nodeNameOf(kube: KubeState, claimName: string): string | undefined;
  /** For what that passes the class waits; undefined: for nothing. */
  unfinishedClass(nodeClass: ObservedObject): string | undefined;
}
