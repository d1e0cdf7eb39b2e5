/** The objects of a smoke test: a namespace of its own unless one is named, and a Deployment of pods that only request resources. */
import type { KubeObject } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, SMOKE_TEST_LABEL } from '../../api/index.ts';

export interface SmokeWorkload {
  readonly run: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly cpu: string;
  readonly memory: string;
  readonly image: string;
  /** Only on nodes of this NodePool. */
  readonly nodePool?: string;
  /** Taints of the NodePool. */
  readonly taints: readonly {
    readonly key: string;
    readonly value?: string;
    readonly effect: string;
  }[];
}

/** The name of the Deployment. */
export const INFLATE = 'inflate';

export function smokeNamespace(run: string): KubeObject & { readonly metadata: { readonly name: string } } {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: `chandler-smoke-${run}`, labels: { [SMOKE_TEST_LABEL]: run } },
  };
}

/** Pods that need a node of a NodePool, and nothing of it: they are admitted in namespaces with the restricted standard, too. */
export function inflateDeployment(
  workload: SmokeWorkload,
): KubeObject & { readonly metadata: { readonly name: string } } {
  const { run, namespace, replicas, cpu, memory, image, nodePool, taints } = workload;
  const labels = { app: INFLATE, [SMOKE_TEST_LABEL]: run };
  const pool =
    nodePool === undefined
      ? { key: KarpenterLabel.nodePool, operator: 'Exists' }
      : { key: KarpenterLabel.nodePool, operator: 'In', values: [nodePool] };
  const linux = { key: KubernetesLabel.os, operator: 'In', values: ['linux'] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `${INFLATE}-${run}`, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          automountServiceAccountToken: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65535,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [pool, linux] }],
              },
            },
          },
          ...(taints.length === 0
            ? {}
            : {
                tolerations: taints.map(({ key, value, effect }) =>
                  value === undefined
                    ? { key, operator: 'Exists', effect }
                    : { key, operator: 'Equal', value, effect },
                ),
              }),
          containers: [
            {
              name: INFLATE,
              image,
              resources: { requests: { cpu, memory } },
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    },
  };
}
