/**
 * A scenario as data: the actions on the cluster and on the cloud, the checks that must pass, and a description of each
 * step for the viewer. runner.ts runs it; each scenario has a file of its own.
 */
import type { KubeObject } from '@chandler/kube';
import type { CloudAction, CloudCheck } from '../clouds/cloud-actions.ts';
import type { PlaygroundCloudName } from '../clouds/cloud-names.table.ts';
import type { PlaygroundCloud } from '../clouds/playground-cloud.ts';

export interface Scenario {
  /** The value of `--scenario`. */
  readonly name: string;
  /** One line for `--scenario list`. */
  readonly summary: string;
  /** The default of `--speed` for this scenario. */
  readonly speed: number;
  /** Where it can run. Default: every cloud. */
  readonly clouds?: readonly PlaygroundCloudName[];
  /** Flags that the scenario needs the controller to run with. */
  readonly controllerArgs?: readonly string[];
  readonly steps: readonly Step[];
}

export interface Step {
  readonly description: string;
  readonly actions?: readonly ScenarioAction[];
  /** The next step starts when all of these pass. */
  readonly until?: readonly Check[];
  /** The scenario fails at once when one of these does not pass while the step waits. */
  readonly always?: readonly Check[];
  /** Timeout for `until`, in cluster time. Default 10 min. */
  readonly withinMs?: number;
  /** Delay before `until` is first evaluated, in cluster time. */
  readonly waitMs?: number;
}

export type ScenarioAction =
  | { readonly apply: KubeObject }
  /** An object that depends on the cloud, such as its NodePool, or on the time, such as a budget with a schedule. */
  | { readonly applyWith: (setting: Setting) => KubeObject }
  | { readonly remove: KubeObject }
  /** A Deployment in `default`. */
  | { readonly scale: { readonly name: string; readonly replicas: number } }
  /** All NodeClaims, or those of one zone (`1`, `2`, `3`). */
  | { readonly deleteClaims: { readonly zone?: string } }
  /** Adds a fault of the cloud, written as for `--fault`. */
  | { readonly fault: string }
  /** Removes all faults of this name. */
  | { readonly clearFault: string }
  /** Stops all instances of a zone. */
  | { readonly powerOff: { readonly zone: string } }
  /** From now on, no instance can be launched in the zone; or again. */
  | { readonly capacity: { readonly zone: string; readonly available: boolean } }
  | CloudAction;

export interface Setting {
  /** In cluster time. */
  readonly now: Date;
  readonly cloud: Pick<PlaygroundCloud, 'zones' | 'defaultPool' | 'defaultNodeClass' | 'kubernetesVersion'>;
}

export type Check =
  /** Pods with the label `app` in `default`; the given counts must match exactly. */
  | { readonly pods: { readonly app: string; readonly running?: number; readonly pending?: number } }
  | { readonly runningAtLeast: { readonly app: string; readonly pods: number } }
  /** No pod of the app is running in the zone. */
  | { readonly noPodIn: { readonly app: string; readonly zone: string } }
  /** No NodeClaim is in the zone. */
  | { readonly noClaimIn: { readonly zone: string } }
  | { readonly claims: { readonly atLeast?: number; readonly exactly?: number } }
  /** In the cloud. */
  | { readonly instances: { readonly atLeast?: number; readonly exactly?: number } }
  /** The price of all instances, as a share of the highest since the scenario started. */
  | { readonly price: { readonly atMostShare: number } }
  /** Nodes with the taint of a disruption, or that are being deleted, until their instance is being terminated: as budgets count. */
  | { readonly disrupting: { readonly atMost: number } }
  /** Every NodeClaim has this label and none is being deleted. */
  | { readonly everyClaimHas: { readonly label: string; readonly value: string } }
  /** No NodeClaim has this label. */
  | { readonly noClaimHas: { readonly label: string; readonly value: string } }
  | { readonly condition: ConditionCheck }
  /** An event with this reason whose message contains `message`. */
  | { readonly event: { readonly reason: string; readonly message?: string } }
  | CloudCheck
  /** No NodeClaim, no node of a NodePool and nothing in the cloud is left. */
  | { readonly nothingProvisioned: true };

export interface ConditionCheck {
  readonly kind: 'NodePool' | 'NodeClaim' | 'NodeClass';
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

/** Part of a pod spec: at most one pod of the app on a node, so that there are as many nodes as pods. */
export function onePerNode(app: string): object {
  return {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' },
        ],
      },
    },
  };
}
