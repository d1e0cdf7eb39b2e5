/**
 * A story as data: what is done to the cluster and to Azure, what must come of it, and what to tell whoever watches. The
 * player does it; each story stands in a file of its own.
 */
import type { Byok } from '@chandler/cloudsim/azure';
import type { KubeObject } from '@chandler/kube';

export interface Story {
  /** As on the command line. */
  readonly name: string;
  /** One line for the list. */
  readonly summary: string;
  /** How fast time runs while it is told, unless somebody wants it otherwise. */
  readonly speed: number;
  /** Flags of the controller that it needs. */
  readonly controllerArgs?: readonly string[];
  readonly steps: readonly Step[];
}

export interface Step {
  readonly say: string;
  readonly acts?: readonly Act[];
  /** All of it holds before the next step. */
  readonly until?: readonly Check[];
  /** How long that may take, in the time of the cluster. Default 10 min. */
  readonly withinMs?: number;
  /** Nothing but this long goes by; then `until` is looked at. */
  readonly waitMs?: number;
}

export type Act =
  | { readonly apply: KubeObject }
  /** A Deployment in `default`. */
  | { readonly scale: { readonly name: string; readonly replicas: number } }
  /** Every claim, or those of a zone (`1`, `2`, `3`). */
  | { readonly deleteClaims: { readonly zone?: string } }
  /** A fault of Azure, as on the command line. */
  | { readonly fault: string }
  /** By its name: no such fault any more. */
  | { readonly mend: string }
  /** A family's cores, `cores` or `lowPriorityCores`; without a limit it is as before. */
  | { readonly quota: { readonly name: string; readonly limit: number } }
  /** All machines of a zone lose their power. */
  | { readonly powerOff: { readonly zone: string } }
  | { readonly byok: ByokAct };

/** What can be done to the customer's key without saying more. */
export type ByokAct = {
  [K in keyof Byok]: Byok[K] extends () => void ? K : never;
}[keyof Byok];

export type Check =
  /** Pods of a label `app` in `default`; all numbers given must be exact. */
  | { readonly pods: { readonly app: string; readonly running?: number; readonly pending?: number } }
  | { readonly runningAtLeast: { readonly app: string; readonly pods: number } }
  /** No pod of the app runs in the zone. */
  | { readonly noPodIn: { readonly app: string; readonly zone: string } }
  /** No claim has a machine in the zone. */
  | { readonly noClaimIn: { readonly zone: string } }
  | { readonly claims: { readonly atLeast?: number; readonly exactly?: number } }
  | { readonly vms: { readonly atLeast?: number; readonly exactly?: number } }
  | { readonly condition: ConditionCheck }
  /** An event with this reason, and these words in its message. */
  | { readonly event: { readonly reason: string; readonly words?: string } }
  /** Every running pod of the app is on a machine whose OS disk has this disk encryption set. */
  | { readonly disksEncryptedWith: { readonly app: string; readonly set: string } }
  /** No claim, no bought node, no VM, NIC or disk. */
  | { readonly nothingBought: true };

export interface ConditionCheck {
  readonly kind: 'NodePool' | 'NodeClaim' | 'AKSNodeClass';
  /** Default: any object of the kind. */
  readonly name?: string;
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
}

/** A Deployment in `default` whose pods carry the label `app`. */
export function deployment(name: string, replicas: number, podSpec: DeployedPod): KubeObject {
  const { cpu, memory, ...spec } = podSpec;
  const labels = { app: name };
  const container = { name: 'main', image: 'nginx', resources: { requests: { cpu, memory } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], ...spec } },
    },
  };
}

export interface DeployedPod {
  readonly cpu: string;
  readonly memory: string;
  readonly [field: string]: unknown;
}
