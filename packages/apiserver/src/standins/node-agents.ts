/**
 * The agents that a DaemonSet would run on every node, limited to what other components wait for: when the node is Ready,
 * an agent removes the startup taint that keeps pods away until then. It also removes a taint that is added later.
 */
import {
  Controller,
  conditionOf,
  ignoreApiErrors,
  keyOfObject,
  NODES,
  type Node,
  parseTimeMs,
  type Result,
  type Stored,
  storeSource,
  type Taint,
  type World,
} from '@chandler/kube';
import type { Machines } from './kubelet/machines.ts';
import type { Watched } from './watched.ts';

export interface NodeAgentOptions {
  readonly world: World;
  readonly watched: Watched;
  readonly machines: Pick<Machines, 'runs'>;
  /** One for each agent. */
  readonly taintKeys: readonly string[];
  /** How much faster than on a real node the agents start. */
  readonly speed: number;
}

export function nodeAgentController(options: NodeAgentOptions): Controller {
  const { world, watched } = options;
  const client = watched.client('node-agent');
  const isAgentTaint = ({ key }: Taint) => options.taintKeys.includes(key);
  return new Controller({
    name: 'standin.node-agent',
    world,
    concurrency: 4,
    sources: [storeSource(watched.nodes, { filter: ({ object }) => taintsOf(object).some(isAgentTaint) })],
    async reconcile(name): Promise<Result> {
      const node = watched.nodes.store.get({ name });
      if (node === undefined || !taintsOf(node).some(isAgentTaint)) return {};
      if (!options.machines.runs(name) || conditionOf(node, 'Ready')?.status !== 'True') return {};
      const waitMs = readySinceMs(node) + START_MS / options.speed - world.clock.now();
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const { resourceVersion } = node.metadata;
      const taints = taintsOf(node).filter((taint) => !isAgentTaint(taint));
      const patch = { metadata: { resourceVersion }, spec: { taints } };
      await ignoreApiErrors(client.patch(NODES, keyOfObject(node), { type: 'merge', patch }), 'notFound');
      return {};
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** From Ready to the time when the agents are ready. */
const START_MS = 2_000;

function taintsOf({ spec }: Pick<Node, 'spec'>): readonly Taint[] {
  return spec?.taints ?? [];
}

function readySinceMs(node: Stored<Node>): number {
  const sinceMs = parseTimeMs(conditionOf(node, 'Ready')?.lastTransitionTime);
  return Number.isNaN(sinceMs) ? 0 : sinceMs;
}
