/**
 * The machines behind a server's instances: called by its hooks, their kubelets run by the node host. Deletes the Nodes of
 * instances that no longer exist, as the controllers of EKS do.
 */
import { KubeClient, type Transport, withUserAgent } from '@chandler/kube';
import type { NodeHost } from '../../node-host.ts';
import type { AwsServer } from '../aws-server.ts';
import type { InstanceRecord } from '../store/records.ts';
import { findNode } from './cloud-node.ts';
import { Machine, type MachineParts } from './machine.ts';
import { providerIdOf } from './node-plan.ts';

export interface MachinesOptions {
  readonly server: AwsServer;
  /** Runs the kubelets of machines that become nodes. */
  readonly nodeHost: NodeHost;
  /** Client of the API server with administrator rights. */
  readonly transport: Transport;
  /** Of the API server; undefined: it does not listen, and no certificate is checked. */
  readonly caPem?: string | undefined;
  /** Names and addresses of the API server besides the endpoint of the cluster. */
  readonly hosts?: readonly string[];
  /** `1.36.3`. */
  readonly kubernetesVersion: string;
  /** From power-on to Ready. Default 5 s, or 40 to 80 s when realistic. */
  readonly bootTimeMs?: number;
  readonly realistic?: boolean;
  /** From the end of an instance to the deletion of its Node. Default 10 s, or 60 s when realistic. */
  readonly nodeCleanupMs?: number;
}

export interface Machines {
  /** How many instances run now. */
  readonly size: number;
  stop(): void;
}

export function startMachines(options: MachinesOptions): Machines {
  return new RunningMachines(options);
}

// ---------------------------------------------------------------------------------------------------

class RunningMachines implements Machines {
  readonly #options: MachinesOptions;
  readonly #parts: MachineParts;
  readonly #machines = new Map<string, Machine>();
  readonly #removeHooks: () => void;
  readonly #cleanupMs: number;
  #stopped = false;

  constructor(options: MachinesOptions) {
    const { server, realistic = false, bootTimeMs } = options;
    const { world } = server.context;
    const client = new KubeClient({
      transport: withUserAgent(options.transport, 'cloud-controller-manager'),
    });
    const endpointHost = new URL(server.cluster.endpoint).hostname;
    const hosts = [endpointHost, ...(options.hosts ?? [])].map((host) =>
      host.toLowerCase().replace(/^\[|\]$/g, ''),
    );
    this.#options = options;
    this.#cleanupMs = options.nodeCleanupMs ?? (realistic ? 60_000 : 10_000);
    this.#parts = {
      server,
      nodeHost: options.nodeHost,
      client,
      join: {
        context: server.context,
        cluster: server.cluster,
        client,
        hosts,
        // It may be replaced while machines run.
        get caPem() {
          return options.caPem;
        },
      },
      kubernetesVersion: options.kubernetesVersion,
      bootMs: () => bootTimeMs ?? (realistic ? 40_000 * (1 + world.random.next()) : 5000),
      retryMs: 10_000,
    };
    this.#removeHooks = server.addHooks({
      launched: (instance) => this.#launched(instance),
      rebooted: (instance) => this.#machines.get(instance.id)?.reboot(),
      stopped: (instance) => this.#machines.get(instance.id)?.end(),
      gone: (instance) => this.#gone(instance),
    });
  }

  get size(): number {
    return this.#machines.size;
  }

  stop(): void {
    this.#stopped = true;
    this.#removeHooks();
    for (const machine of this.#machines.values()) machine.end();
    this.#machines.clear();
  }

  #launched(instance: InstanceRecord): void {
    const machine = new Machine(this.#parts, instance);
    this.#machines.set(instance.id, machine);
    machine.boot();
  }

  #gone(instance: InstanceRecord): void {
    const machine = this.#machines.get(instance.id);
    this.#machines.delete(instance.id);
    if (machine?.isNode !== true) return;
    const { schedule, world } = this.#options.server.context;
    schedule.after(this.#cleanupMs, () => {
      if (this.#stopped) return;
      this.#cleanUp(instance).catch((error: unknown) =>
        world.log.warn('failed to delete the node of an instance that no longer exists', {
          instance: instance.id,
          error: String(error),
        }),
      );
    });
  }

  async #cleanUp(instance: InstanceRecord): Promise<void> {
    const ours = providerIdOf(instance);
    const node = await findNode(this.#parts.client, instance.nodeName);
    if (node !== undefined && (node.spec?.providerID ?? ours) === ours)
      await this.#options.nodeHost.removeNode(instance.nodeName);
  }
}
