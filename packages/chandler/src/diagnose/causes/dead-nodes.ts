/**
 * Layer 6, a node that has died or is about to: its VM is stopped or being deleted, its kernel has failed, it ran out of
 * memory. That its kubelet is silent, without a reason, is in `nodes.ts`.
 */
import {
  ageBeforeUnready,
  type Cause,
  conditionOf,
  type EvidenceSet,
  inSerialLog,
  isAtEnd,
  isFollowedBy,
  isTrue,
  type Match,
  type NodeEvidence,
  seen,
  type VmEvidence,
} from '../../causes/index.ts';

const SHOW_NODE = 'kubectl describe node {node}';
/** What a dead node shows in any case. */
const SILENT = ['nodes.kubelet-silent', 'L6.1'];

export const DEAD_NODES: readonly Cause[] = [
  {
    id: 'nodes.machine-stopped',
    layer: 'scheduling',
    specificity: 'exact',
    point: 'L6.1',
    title: 'The VM of the node is not running',
    symptom:
      'The node was Ready, and the cloud shows its VM as stopped, deallocated, terminated or being deleted, or its checks fail (suspicious while the node is Ready).',
    summary: 'The VM of {node} is {power}.',
    fix: 'It was stopped by the cloud (a spot interruption), by a policy, by a schedule or by hand. Check {auditLog}. Delete the NodeClaim to get another VM.',
    confirm: ['{showInstanceStatus}', SHOW_NODE],
    explains: [...SILENT, 'nodes.kernel-failed', 'nodes.out-of-memory'],
    failsContainers: true,
    recognise: stoppedMachine,
  },
  {
    id: 'nodes.kernel-failed',
    layer: 'scheduling',
    specificity: 'exact',
    point: 'L6.1',
    title: 'The kernel of the node has failed',
    symptom:
      'The Node is not Ready, and the serial log of its VM ends with a panic, with tasks that hang, or with a kubelet that was killed for want of memory.',
    summary: 'The serial log of {node} shows: {problem}',
    fix: 'Restart the VM, or delete the NodeClaim to replace it. If it ran out of memory, set the memory requests and limits of pods, and reserve more for the system. If it happens again, use another image version.',
    confirm: ['{showBootLog}', SHOW_NODE],
    explains: SILENT,
    explainedBy: ['cloud.machine-gone'],
    failsContainers: true,
    recognise: failedKernel,
  },
  {
    id: 'nodes.out-of-memory',
    layer: 'scheduling',
    specificity: 'exact',
    point: 'L6.1',
    title: 'The node ran out of memory',
    symptom:
      'The Node is not Ready, and an event SystemOOM, or OOMKilling of the kubelet or the container runtime, came in the minutes before (of another program: suspicious).',
    summary: '{node} has not been Ready since {since}. It ran out of memory before that: {problem}',
    fix: 'Restart the VM, or delete the NodeClaim to replace it. Set the memory requests and limits of pods to what they use, and reserve more memory for the system.',
    confirm: [SHOW_NODE, '{showNodeStatus}'],
    explains: SILENT,
    explainedBy: ['nodes.kernel-failed', 'cloud.machine-gone'],
    failsContainers: true,
    recognise: outOfMemory,
  },
];

// ---------------------------------------------------------------------------------------------------

const STOPPED = /^(?:stopp|dealloc|terminat|shutting)/;

/** What the cloud shows counts more than a condition, which is a minute behind. One that is stopped counts more than a check. */
function stoppedMachine(evidence: EvidenceSet): Match | undefined {
  const matches = evidence.all('node').flatMap((node) => {
    const vm = evidence.all('vm').find(({ claim, found }) => found && claim === node.claim);
    const match = vm === undefined || isLeaving(evidence, node) ? undefined : endOfMachine(node, vm);
    return match === undefined ? [] : [match];
  });
  return matches.find(({ weight = 'broken' }) => weight === 'broken') ?? matches[0];
}

function endOfMachine(node: NodeEvidence, vm: VmEvidence): Match | undefined {
  const { stateReason, failedChecks = [], powerState } = vm;
  const end = endOf(vm);
  if (end === undefined && failedChecks.length === 0) return undefined;
  const checks = `its checks fail (${failedChecks.join(', ')})`;
  const state = end ?? (powerState === undefined ? checks : `${powerState}, and ${checks}`);
  const power = stateReason === undefined ? state : `${state}: ${stateReason}`;
  const match = {
    facts: { node: node.name, vm: vm.name, power },
    seen: [seen(vm, end === undefined && powerState === undefined ? power : `power state ${power}`)],
    ...(end === undefined && powerState === undefined ? { summary: 'Of the VM of {node}, {power}.' } : {}),
  };
  if (end !== undefined || !isTrue(node, 'Ready')) return match;
  return {
    ...match,
    weight: 'suspicious',
    title: 'A status check of the VM fails',
    fix: 'The check "system" is about the host, "instance" about the operating system. If it does not recover, drain the node and delete its NodeClaim.',
  };
}

/** Its controller stops and deletes the VM of a node that is deleted. */
function isLeaving(evidence: EvidenceSet, node: NodeEvidence): boolean {
  const claim = evidence.all('nodeClaim').find(({ name }) => name === node.claim);
  return node.deletingSinceMs !== undefined || claim?.deletingSinceMs !== undefined;
}

function endOf({ powerState = '', provisioningState }: VmEvidence): string | undefined {
  if (STOPPED.test(powerState)) return powerState;
  return provisioningState === 'Deleting' ? 'being deleted' : undefined;
}

/** Programs without which a node does not work. Not `containerd-shim`, which is part of one container. */
const OF_NODE = /Killed process \d+ \((?:kubelet|containerd|systemd)\)/i;
const KERNEL = new RegExp(
  `Kernel panic|blocked for more than \\d+ seconds|soft lockup|Out of memory: ${OF_NODE.source}`,
  'i',
);
/** It has booted again since. */
const BOOTED_AGAIN = /\bLinux version \d/;

const RUNNING = 'The VM of {node} runs, and its serial log shows: {problem}';

/** Most nodes go on after it. */
const HUNG = /blocked for more than \d+ seconds/i;
const OLDER = 'The kernel of the node reported a failure at another time';

/** At the end of the log, and of the time: a node that lives had any of it before, and quiet consoles write nothing for days. */
function failedKernel(evidence: EvidenceSet): Match | undefined {
  for (const node of deadNodes(evidence)) {
    const hit = inSerialLog(evidence, KERNEL, ({ claim }) => claim === node.claim);
    if (hit === undefined || isFollowedBy(hit.log.text, hit.line, BOOTED_AGAIN)) continue;
    const isPanic = /Kernel panic/i.test(hit.line);
    if (!isPanic && !isAtEnd(hit.log.text, hit.line)) continue;
    const age = ageBeforeUnready(node, hit.log.text, hit.line);
    const isSurvived = !isPanic && (age === 'old' || (age === 'unknown' && HUNG.test(hit.line)));
    const vm = evidence.all('vm').find(({ claim, found }) => found && claim === node.claim);
    return {
      facts: { node: node.name, claim: hit.log.claim, problem: hit.line },
      seen: [seen(hit.log, hit.line)],
      ...(vm?.powerState === 'running' ? { summary: RUNNING } : {}),
      ...(isSurvived ? { weight: 'suspicious', title: OLDER } : {}),
    };
  }
  return undefined;
}

/** Between the event and the condition: Ready changes most of a minute after the last heartbeat. */
const BEFORE_MS = 10 * 60_000;

/** A container that exceeded its own limit: the node had memory left. */
const OF_CONTAINER = /Memory cgroup|CONSTRAINT_MEMCG/i;

function outOfMemory(evidence: EvidenceSet): Match | undefined {
  const matches = deadNodes(evidence).flatMap((node): readonly Match[] => {
    const since = conditionOf(node, 'Ready')?.lastTransitionTime ?? '';
    const sinceMs = Date.parse(since);
    const events = evidence
      .events(`Node/${node.name}`, 'SystemOOM', 'OOMKilling')
      .filter(({ object, lastMs }) => object === `Node/${node.name}` && lastMs >= sinceMs - BEFORE_MS);
    const certain = events.findLast(({ reason, message }) => reason === 'SystemOOM' || OF_NODE.test(message));
    const event = certain ?? events.findLast(({ message }) => !OF_CONTAINER.test(message));
    if (event === undefined) return [];
    return [
      {
        weight: certain === undefined ? 'suspicious' : 'broken',
        facts: { node: node.name, since, problem: event.message },
        seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
      },
    ];
  });
  return matches.find(({ weight }) => weight === 'broken') ?? matches[0];
}

function deadNodes(evidence: EvidenceSet): readonly NodeEvidence[] {
  return evidence
    .all('node')
    .filter((node) => conditionOf(node, 'Ready')?.status === 'Unknown' && node.deletingSinceMs === undefined);
}
