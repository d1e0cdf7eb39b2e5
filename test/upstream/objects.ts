/** The cluster of a planner's input as the Kubernetes objects that upstream reads. It adds nothing but identities and readiness. */
import type {
  ExistingNode,
  InstanceType,
  Pod,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { POOL } from '../scheduling/shorthand.ts';

/** The node class of upstream's test suites; their provider knows no other. */
export const NODE_CLASS_REF = { group: 'karpenter.test.sh', kind: 'TestNodeClass', name: 'default' };

/** One line for the program in `karpenter/`; `request.go` reads it. */
export interface UpstreamRequest {
  readonly id: number;
  readonly runs: number;
  readonly objects: Readonly<Record<string, readonly object[]>>;
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  readonly wellKnownLabels: readonly string[];
  readonly options: { readonly ignorePreferences: boolean; readonly bestEffortMinValues: boolean };
}

export function requestOf(input: SchedulingInput, id: number, runs: number): UpstreamRequest {
  const { volumes = {}, options = {} } = input;
  const nodes = input.nodes ?? [];
  return {
    id,
    runs,
    objects: {
      pods: [...input.pods.map(pending), ...(input.boundPods ?? [])],
      nodes: nodes.map(nodeObject),
      nodeClaims: nodes.filter(({ labels }) => labels[POOL] !== undefined).map(claimOf),
      nodePools: input.pools.map(({ nodePool }) => ({ ...nodePool, status: { conditions: READY } })),
      daemonSets: input.daemonSets ?? [],
      namespaces: (input.namespaces ?? []).map(({ name, labels = {} }) => ({ metadata: { name, labels } })),
      persistentVolumeClaims: volumes.claims ?? [],
      persistentVolumes: volumes.volumes ?? [],
      storageClasses: volumes.classes ?? [],
      csiNodes: volumes.csiNodes ?? [],
    },
    instanceTypes: Object.fromEntries(
      input.pools.map(({ nodePool, instanceTypes }) => [
        nodePool.metadata.name!,
        typeof instanceTypes === 'string' ? (input.catalogues?.[instanceTypes] ?? []) : instanceTypes,
      ]),
    ),
    wellKnownLabels: input.wellKnownLabels ?? [],
    options: {
      ignorePreferences: options.preferencePolicy === 'Ignore',
      bestEffortMinValues: options.minValuesPolicy === 'BestEffort',
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** A NodePool without one of these is not planned for. */
const READY = ['Ready', 'ValidationSucceeded', 'NodeClassReady'].map((type) => ({
  type,
  status: 'True',
  reason: type,
  message: '',
  lastTransitionTime: '2025-01-01T00:00:00Z',
}));

function pending(pod: Pod): object {
  return { ...pod, status: { phase: 'Pending' } };
}

function nodeObject({
  name,
  labels,
  taints = [],
  allocatable,
  capacity = allocatable,
}: ExistingNode): object {
  return {
    metadata: { name, labels },
    spec: { providerID: providerId(name), taints },
    status: { allocatable, capacity },
  };
}

/** The NodeClaim that a node of a pool was launched from. */
function claimOf({ name, labels, taints = [], startupTaints = [], ...node }: ExistingNode): object {
  const { allocatable, capacity = allocatable } = node;
  return {
    metadata: { name, labels },
    spec: { nodeClassRef: NODE_CLASS_REF, taints, startupTaints, requirements: [] },
    status: { providerID: providerId(name), nodeName: name, allocatable, capacity },
  };
}

function providerId(name: string): string {
  return `test://${name}`;
}
