/**
 * The stand-ins, assembled: they make an API server behave like a cluster. They use the same client and reflectors as any
 * other controller, so they also work against a real API server. Started and stopped together.
 */
import {
  type Controller,
  EventRecorder,
  type Node,
  type Stored,
  type Transport,
  type World,
} from '@chandler/kube';
import { attachmentController } from './attachments.ts';
import { disruptionBudgetController } from './disruption-budgets.ts';
import { Machines } from './kubelet/machines.ts';
import type { CsiDrivers, NodeSpec } from './kubelet/node-object.ts';
import { KubeletPods } from './kubelet/pods.ts';
import { nodeAgentController } from './node-agents.ts';
import { nodeLifecycleController } from './node-lifecycle.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { serviceAccountController } from './service-accounts.ts';
import { volumeControllers } from './volumes.ts';
import { Watched } from './watched.ts';
import { daemonSetController } from './workloads/daemon-set.ts';
import { deploymentController } from './workloads/deployment.ts';
import { jobController } from './workloads/job.ts';
import { replicaSetController } from './workloads/replica-set.ts';
import { statefulSetController } from './workloads/stateful-set.ts';
import type { WorkloadOptions } from './workloads/workload.ts';

export interface StandinsOptions {
  readonly world: World;
  /** Transport to the API server with administrator rights. */
  readonly transport: Transport;
  /** The certificate that namespaces get as `kube-root-ca.crt`. Default: none. */
  readonly caPem?: string;
  /** How much faster than on a real node pods start, stop and finish. Default 1. */
  readonly speed?: number;
  /** How often nodes send a heartbeat. Default 10 s. */
  readonly heartbeatMs?: number;
  /** A node without a heartbeat for this long is Unknown. Default 50 s. */
  readonly nodeGraceMs?: number;
  /** From the deletion of a node to that of its pods. Default 5 s. */
  readonly orphanMs?: number;
  /** Keys of the taints that the agents of a node remove when they are ready, such as those of a CNI agent. Default: none. */
  readonly agentTaints?: readonly string[];
  /** CSI drivers of nodes that name none, with the number of volumes each attaches. Default: the playground's own, 16. */
  readonly csiDrivers?: CsiDrivers;
  /** Drivers of volumes that any node can mount, such as file shares. Volumes of others belong to one zone. Default: none. */
  readonly sharedDrivers?: readonly string[];
  /** Components to leave out, when something else implements them. */
  readonly without?: readonly StandinName[];
}

export type StandinName =
  | 'scheduler'
  | 'workloads'
  | 'disruption'
  | 'node-lifecycle'
  | 'kubelet'
  | 'volumes'
  | 'service-accounts';

export interface Standins {
  readonly watched: Watched;
  readonly scheduler: Scheduler | undefined;
  /** A node joins: registers its Node, sends heartbeats, runs pods. */
  addNode(spec: NodeSpec): Promise<Stored<Node>>;
  /** The node loses power; its Node object stays and becomes Unknown. */
  stopNode(name: string): void;
  resumeNode(name: string): Promise<void>;
  /** Removes the node and its Node object. */
  removeNode(name: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startStandins(options: StandinsOptions): Promise<Standins> {
  const { world, transport, heartbeatMs, speed = 1, agentTaints = [], without = [] } = options;
  const watched = new Watched(world, transport);
  await watched.start();
  const has = (name: StandinName) => !without.includes(name);
  const machines = new Machines({ world, watched, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) });
  const pods = new KubeletPods({ world, watched, machines, speed });
  const scheduler = has('scheduler') ? new Scheduler({ world, watched }) : undefined;
  const client = watched.client('kube-controller-manager');
  const events = new EventRecorder({ client, world, component: 'controllers', bufferSize: 100_000 });
  const controllers = makeControllers(options, { world, watched, client, events }, has);
  if (has('kubelet') && agentTaints.length > 0)
    controllers.push(nodeAgentController({ world, watched, machines, taintKeys: agentTaints, speed }));
  for (const controller of controllers) await controller.start();
  if (has('kubelet')) {
    machines.start();
    await pods.start();
  }
  scheduler?.start();
  return {
    watched,
    scheduler,
    addNode: (spec) =>
      machines.addNode(options.csiDrivers === undefined ? spec : { csiDrivers: options.csiDrivers, ...spec }),
    stopNode: (name) => machines.stopNode(name),
    async resumeNode(name) {
      await machines.resumeNode(name);
      pods.wake(name);
    },
    removeNode: (name) => machines.removeNode(name),
    async stop() {
      await scheduler?.stop();
      await Promise.all([
        machines.stop(),
        pods.stop(),
        ...controllers.map((controller) => controller.stop()),
      ]);
      await events.stop();
      await watched.stop();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function makeControllers(
  options: StandinsOptions,
  shared: WorkloadOptions,
  has: (name: StandinName) => boolean,
): Controller[] {
  const { caPem, nodeGraceMs, orphanMs } = options;
  return [
    ...(has('service-accounts')
      ? [serviceAccountController({ ...shared, ...(caPem === undefined ? {} : { caPem }) })]
      : []),
    ...(has('node-lifecycle')
      ? [
          nodeLifecycleController({
            ...shared,
            ...(nodeGraceMs === undefined ? {} : { graceMs: nodeGraceMs }),
            ...(orphanMs === undefined ? {} : { orphanMs }),
          }),
        ]
      : []),
    ...(has('workloads')
      ? [
          replicaSetController(shared),
          deploymentController(shared),
          statefulSetController(shared),
          daemonSetController(shared),
          jobController(shared),
        ]
      : []),
    ...(has('disruption') ? [disruptionBudgetController(shared)] : []),
    ...(has('volumes')
      ? [
          ...volumeControllers({ ...shared, sharedDrivers: options.sharedDrivers ?? [] }),
          attachmentController(shared),
        ]
      : []),
  ];
}
