/**
 * Capacity rules: pods, daemons and bound pods fit into the allocatable resources of the node, including the
 * number of pods; and no two pods use the same host port.
 */
import { podRequests } from '@chandler/apiserver/standins';
import { addAll, matchesNodeAffinity, untolerated } from '@chandler/apiserver/testing';
import type { Pod as StandinPod, Stored } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import type {
  Container,
  DaemonSet,
  Pod,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { type FinalNode, isFromDaemonSet } from './final-nodes.ts';
import type { Violation } from './violation.ts';

export function checkCapacity(input: SchedulingInput, nodes: readonly FinalNode[]): Violation[] {
  return nodes
    .filter((node) => node.placed.length > 0)
    .flatMap((node) => {
      const daemons = daemonsOn(input, node);
      const full = fitsWith(node, daemons);
      const room: Violation[] =
        full === undefined ? [] : [{ rule: 'capacity', subject: node.name, detail: full }];
      return [...room, ...checkPorts(node, daemons)];
    });
}

/** Pods of DaemonSets that the node will have and has not yet. */
export function daemonsOn(input: SchedulingInput, node: FinalNode): Pod[] {
  return (input.daemonSets ?? [])
    .map(daemonPod)
    .filter(
      (pod) => !untolerated(node.taints, pod.spec.tolerations) && matchesNodeAffinity(asStandin(pod), node),
    )
    .filter((pod) => !isPerNodeClaimed(pod));
}

/** As upstream, daemons are reckoned by type: one that runs on spot, or in one zone, alone has its share in the others too. */
export function daemonsOnAny(input: SchedulingInput, nodes: readonly FinalNode[]): Pod[] {
  const found = new Set(nodes.flatMap((node) => daemonsOn(input, node).map(({ metadata }) => metadata.name)));
  return (input.daemonSets ?? []).map(daemonPod).filter(({ metadata }) => found.has(metadata.name));
}

/** Which resource is short; undefined when all is well. */
export function fitsWith(node: FinalNode, daemons: readonly Pod[]): string | undefined {
  const wanted = new Map<string, number>();
  for (const pod of [...node.bound, ...node.placed]) addPod(wanted, pod);
  const expected = new Map<string, number>();
  for (const pod of daemons) addPod(expected, pod);
  const there = new Map<string, number>();
  for (const pod of node.bound.filter(isFromDaemonSet)) addPod(there, pod);
  for (const [name, amount] of expected) {
    wanted.set(name, (wanted.get(name) ?? 0) + Math.max(0, amount - (there.get(name) ?? 0)));
  }
  const fresh = new Map<string, number>();
  for (const pod of node.placed) addPod(fresh, pod);
  for (const [name, amount] of wanted) {
    // A resource that no new pod asks for may be overdrawn by those that are there.
    if ((fresh.get(name) ?? 0) === 0 && node.existing) continue;
    const has = node.allocatable.get(name) ?? 0;
    if (amount > has) return `wants ${amount} ${name}, has ${has}`;
  }
  return undefined;
}

function daemonPod(set: DaemonSet): Pod {
  const { template } = set.spec;
  const source = set.pod?.spec ?? template.spec;
  return {
    metadata: {
      name: `${set.metadata.name}-pod`,
      namespace: set.metadata.namespace ?? 'default',
      labels: template.metadata?.labels ?? {},
    },
    spec: {
      ...source,
      containers: source.containers.map(withLimitsAsRequests),
      affinity: template.spec.affinity,
    },
  } as Pod;
}

/** The pod as the stand-ins read it: one that a server holds. */
export function asStandin({ metadata, ...pod }: Pod): Stored<StandinPod> {
  const { name = '', namespace = 'default' } = metadata;
  return stored({ ...pod, metadata: { ...metadata, name, namespace } });
}

// ---------------------------------------------------------------------------------------------------

function addPod(into: Map<string, number>, pod: Pod): void {
  addAll(into, podRequests(asStandin(pod).spec));
  addAll(into, new Map([['pods', 1]]));
}

function withLimitsAsRequests(container: Container): Container {
  const { limits, requests } = container.resources ?? {};
  return { ...container, resources: { requests: { ...limits, ...requests } } };
}

/** Daemons that ask for devices by claim are not counted, as their pods are not planned either. */
function isPerNodeClaimed(pod: Pod): boolean {
  return (pod.spec.resourceClaims ?? []).length > 0;
}

interface Port {
  readonly owner: string;
  readonly text: string;
  readonly ip: string;
}

function checkPorts(node: FinalNode, daemons: readonly Pod[]): Violation[] {
  // A daemon that is not yet running on an existing node may find its port taken; on a new node it is first.
  const there = node.existing ? [] : daemons;
  const taken: Port[] = [...there, ...node.bound].flatMap(portsOf);
  const violations: Violation[] = [];
  for (const pod of node.placed) {
    const wanted = portsOf(pod);
    for (const port of wanted) {
      const clash = taken.find(
        (other) => other.text === port.text && (other.ip === port.ip || other.ip === ANY || port.ip === ANY),
      );
      if (clash)
        violations.push({
          rule: 'host ports',
          subject: port.owner,
          detail: `${port.text} on ${node.name} belongs to ${clash.owner}`,
        });
    }
    taken.push(...wanted);
  }
  return violations;
}

const ANY = '0.0.0.0';

function portsOf(pod: Pod): Port[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...pod.spec.containers, ...sidecars]
    .flatMap((container) => container.ports ?? [])
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort, hostIP, protocol = 'TCP' }) => ({
      owner: podKey(pod),
      text: `${hostPort}/${protocol}`,
      ip: hostIP === undefined || hostIP === '' ? ANY : hostIP,
    }));
}
