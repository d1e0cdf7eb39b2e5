/** Deployments of Karpenter and of Chandler in one namespace, and the history of the lease that both use. */
import { type Deployment, type KubeClient, LEASES, type Lease, type WatchStream } from '@chandler/kube';

export const NAMESPACE = 'kube-system';
export const KARPENTER = { namespace: NAMESPACE, name: 'karpenter' };
export const CHANDLER = { namespace: NAMESPACE, name: 'chandler' };
export const LEASE = { namespace: NAMESPACE, name: 'karpenter-leader-election' };

export interface DeploymentGiven {
  readonly replicas: number;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export function karpenterDeployment(given: DeploymentGiven): Deployment {
  return deployment(KARPENTER.name, { image: 'mcr.microsoft.com/aks/karpenter/controller:1.6.5', ...given });
}

export function chandlerDeployment(given: DeploymentGiven): Deployment {
  return deployment(CHANDLER.name, { image: 'registry.example.com/chandler:0.2.0', ...given });
}

/** Who held the lease, one entry for each time it changed hands; '' where it was released. */
export class LeaseHistory {
  readonly holders: string[] = [];
  readonly #stop = new AbortController();
  #reading: Promise<void> | undefined;

  /** From now on. */
  async watch(client: KubeClient): Promise<void> {
    const { metadata } = await client.list(LEASES, { namespace: LEASE.namespace });
    const stream = await client.watch<Lease>(LEASES, {
      namespace: LEASE.namespace,
      fieldSelector: `metadata.name=${LEASE.name}`,
      resourceVersion: metadata.resourceVersion ?? '0',
      signal: this.#stop.signal,
    });
    this.#reading = this.#read(stream);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#reading?.catch(() => undefined);
  }

  /** A holder that came back after another one held the lease: it acted as if it had never lost it. */
  get returned(): readonly string[] {
    return this.holders.filter((holder, at) => holder !== '' && this.holders.indexOf(holder) < at);
  }

  async #read(stream: WatchStream<Lease>): Promise<void> {
    for await (const batch of stream.batches())
      for (const { object } of batch) {
        const holder = (object as Lease).spec?.holderIdentity ?? '';
        if (this.holders.at(-1) !== holder) this.holders.push(holder);
      }
  }
}

// ---------------------------------------------------------------------------------------------------

function deployment(name: string, given: DeploymentGiven): Deployment {
  const { replicas, image, args = [], env = {}, annotations, labels } = given;
  const own = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { ...own, ...labels },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      replicas,
      selector: { matchLabels: own },
      template: {
        metadata: { labels: own },
        spec: {
          serviceAccountName: name,
          containers: [
            {
              name: 'controller',
              image: image ?? name,
              args,
              env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
            },
          ],
        },
      },
    },
  } as Deployment;
}
