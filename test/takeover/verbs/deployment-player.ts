/**
 * Plays the controller of Deployments and the kubelet for two of them: creates and deletes pods by the replicas and the
 * template, and starts and stops the process of each pod.
 */
import {
  DEPLOYMENTS,
  type Deployment,
  type KubeClient,
  PODS,
  type Pod,
  type Stored,
  type World,
} from '@chandler/kube';

/** What runs in a pod. */
export interface PodProcess {
  stop(): Promise<void>;
}

export interface PlayerOptions {
  readonly client: KubeClient;
  readonly clock: World['clock'];
  readonly namespace: string;
  /** Undefined: the pod runs nothing that matters. */
  start(deployment: Stored<Deployment>, podName: string): PodProcess | undefined;
  /** How pods of a Deployment look. Default Running and Ready. */
  status?(deployment: Stored<Deployment>): Pod['status'];
}

interface PlayedPod {
  readonly owner: string;
  readonly template: string;
  readonly process: PodProcess | undefined;
}

const ROUND_MS = 500;

export class DeploymentPlayer {
  readonly #options: PlayerOptions;
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, PlayedPod>();
  #made = 0;
  #running: Promise<void> | undefined;

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  run(): void {
    this.#running = this.#loop();
  }

  /** Names of the pods of a Deployment. */
  podsOf(owner: string): readonly string[] {
    return [...this.#pods].filter(([, pod]) => pod.owner === owner).map(([name]) => name);
  }

  /** The processes end too. Safe to call twice. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    const processes = [...this.#pods.values()].map(({ process }) => process);
    this.#pods.clear();
    await Promise.all(processes.map((process) => process?.stop()));
  }

  async #loop(): Promise<void> {
    const { client, clock, namespace } = this.#options;
    while (!this.#stop.signal.aborted) {
      const { items } = await client.list(DEPLOYMENTS, { namespace });
      for (const deployment of items) await this.#play(deployment);
      await clock.sleep(ROUND_MS, this.#stop.signal).catch(() => undefined);
    }
  }

  async #play(deployment: Stored<Deployment>): Promise<void> {
    const { name: owner } = deployment.metadata;
    const template = JSON.stringify(deployment.spec.template);
    const wanted = deployment.spec.replicas ?? 1;
    const own = [...this.#pods].filter(([, pod]) => pod.owner === owner);
    const current = own.filter(([, pod]) => pod.template === template);
    for (const [name] of own.filter(([, pod]) => pod.template !== template)) await this.#remove(name);
    for (const [name] of current.slice(wanted)) await this.#remove(name);
    for (let count = current.length; count < wanted; count++) await this.#add(deployment, template);
  }

  async #add(deployment: Stored<Deployment>, template: string): Promise<void> {
    const { client, namespace } = this.#options;
    const { name: owner } = deployment.metadata;
    this.#made += 1;
    const name = `${owner}-${this.#made}`;
    const { metadata, spec } = deployment.spec.template;
    await client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }) },
      spec,
    } as Pod);
    const status = this.#options.status?.(deployment) ?? READY;
    await client.patchStatus(PODS, { namespace, name }, { type: 'merge', patch: { status } });
    this.#pods.set(name, { owner, template, process: this.#options.start(deployment, name) });
  }

  async #remove(name: string): Promise<void> {
    const { client, namespace } = this.#options;
    await this.#pods.get(name)?.process?.stop();
    this.#pods.delete(name);
    await client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 });
  }
}

const READY: Pod['status'] = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
