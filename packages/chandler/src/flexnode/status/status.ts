/**
 * The status of the node, from the journal, the units, the programs and the API server. The field names are compatible
 * with the status file of AKS Flex Node; health and its reasons are an addition. Read-only.
 */
import { rethrowProgramError } from '@chandler/kube';
import { agentVersion, showAgent } from '../azure/azcmagent.ts';
import { readJournal } from '../engine/journal.ts';
import type { Parts } from '../engine/parts.ts';
import type { JournalState } from '../engine/records.ts';
import { redact, redactedJson } from '../engine/redact.ts';
import { EXIT_CODES, FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import {
  arcToken,
  codeOf,
  kubeletHealthy,
  type Live,
  type NodeTokenSource,
  nodeFacts,
} from '../kubelet/live.ts';
import { usesNodeCertificate } from '../kubelet/node-certificate.ts';
import { KUBELET_BINARY } from '../kubelet/paths.ts';
import { printedVersion } from '../kubelet/version.ts';
import { STEP_IDS, type StepId } from '../step.ts';
import { runsWith, unitState } from '../steps/services.ts';

export type Health = 'healthy' | 'unhealthy' | 'incomplete' | 'not-bootstrapped';

export interface FlexStatus {
  readonly health: Health;
  /** Why it is not healthy. */
  readonly problems: readonly string[];
  /** What is wrong, although the node is healthy with it. */
  readonly notes: readonly string[];
  readonly nodeName: string;
  readonly kubeletVersion: string;
  readonly runcVersion: string;
  readonly containerdVersion: string;
  readonly kubeletRunning: boolean;
  readonly kubeletReady: 'Ready' | 'NotReady' | 'Unknown';
  readonly containerdRunning: boolean;
  readonly arcStatus: {
    readonly registered: boolean;
    readonly connected: boolean;
    readonly machineName: string;
    readonly resourceGroup: string;
    readonly location: string;
    readonly resourceId?: string;
    readonly agentVersion?: string;
  };
  readonly steps: readonly {
    readonly step: StepId;
    readonly state: 'started' | 'completed' | 'failed' | 'undoing' | 'undone' | 'never';
    readonly at?: string;
  }[];
  readonly lastUpdated: string;
}

export type StatusParts = Pick<Parts, 'world' | 'host' | 'config' | 'cluster'>;

export interface StatusOptions {
  readonly signal: AbortSignal;
  /** Default: the Arc agent of this machine. */
  readonly nodeToken?: NodeTokenSource;
}

export async function readStatus(parts: StatusParts, options: StatusOptions): Promise<FlexStatus> {
  const { host, config, world } = parts;
  const journal = await readJournal(host);
  const live: Live = {
    ...parts,
    facts: { get: (key) => journal.facts.get(key) },
    nodeToken: options.nodeToken ?? arcToken,
    signal: options.signal,
  };
  const [kubelet, containerd, arc, versions, isCertified] = await Promise.all([
    serviceStatus(host, 'kubelet.service'),
    serviceStatus(host, 'containerd.service'),
    arcStatus(parts, journal),
    Promise.all(PROGRAMS.map((path) => versionOf(host, path))),
    usesNodeCertificate(host, config, world),
  ]);
  const node = await nodeStatus(live, journal);
  const healthy = kubelet.active && (await kubeletHealthy(live));
  const steps = STEP_IDS.map((step) => {
    const record = journal.steps.get(step);
    return { step, state: record?.state ?? ('never' as const), ...(record?.at ? { at: record.at } : {}) };
  });
  const problems = [
    ...steps
      .filter(({ state }) => state !== 'completed')
      .map(({ step, state }) => `step ${step}: ${STATE_TEXTS[state]}`),
    ...(isStartOutdated(journal) ? [OUTDATED_START] : []),
    ...(containerd.active ? [] : [containerd.problem ?? 'containerd is not running']),
    ...(kubelet.active && !healthy ? ['the kubelet is not healthy'] : []),
    ...(kubelet.active ? [] : [kubelet.problem ?? 'the kubelet is not running']),
    ...(arc.connected || isCertified ? [] : [ARC_DISCONNECTED]),
    ...(node.ready === 'Ready' ? [] : [node.problem]),
  ];
  return {
    health: healthOf(journal, steps, problems),
    problems: [
      ...(journal.lost === 0 ? [] : [`${journal.lost} lines of the journal are damaged`]),
      ...(journal.steps.size === 0 ? ['this machine is not bootstrapped'] : problems),
    ],
    notes: arc.connected || !isCertified ? [] : [`${ARC_DISCONNECTED}; ${CERTIFIED}`],
    nodeName: config.agent.nodeName,
    kubeletVersion: versions[0]!,
    runcVersion: versions[2]!,
    containerdVersion: versions[1]!,
    kubeletRunning: kubelet.active,
    kubeletReady: node.ready,
    containerdRunning: containerd.active,
    arcStatus: arc,
    steps,
    lastUpdated: new Date(world.clock.now()).toISOString(),
  };
}

/** 0 if the node is healthy, otherwise by the kind of problem. */
export function statusExitCode({ health }: FlexStatus): number {
  return STATUS_EXIT_CODES[health];
}

export function statusJson(status: FlexStatus): string {
  return `${redactedJson(status, 2)}\n`;
}

export function statusText(status: FlexStatus): string {
  const done = status.steps.filter(({ state }) => state === 'completed').length;
  const lines = [
    `${status.nodeName}: ${status.health}`,
    `  node        ${status.kubeletReady}`,
    `  kubelet     ${status.kubeletRunning ? 'running' : 'not running'} ${status.kubeletVersion}`.trimEnd(),
    `  containerd  ${status.containerdRunning ? 'running' : 'not running'} ${status.containerdVersion}`.trimEnd(),
    `  runc        ${status.runcVersion}`.trimEnd(),
    `  Arc         ${status.arcStatus.connected ? 'connected' : 'not connected'} as ${status.arcStatus.machineName} in ${status.arcStatus.resourceGroup}`,
    `  steps       ${done} of ${status.steps.length} completed`,
    ...status.problems.map((problem) => `  ! ${problem}`),
    ...status.notes.map((note) => `  note: ${note}`),
  ];
  return `${redact(lines.join('\n'))}\n`;
}

// ---------------------------------------------------------------------------------------------------

const STATUS_EXIT_CODES: Readonly<Record<Health, number>> = {
  healthy: 0,
  unhealthy: EXIT_CODES.step,
  incomplete: EXIT_CODES.step,
  'not-bootstrapped': EXIT_CODES.preflight,
};

const PROGRAMS = [KUBELET_BINARY, '/usr/local/bin/containerd', '/usr/local/sbin/runc'] as const;

const STATE_TEXTS: Readonly<Record<FlexStatus['steps'][number]['state'], string>> = {
  started: 'was interrupted',
  completed: 'done',
  failed: 'failed',
  undoing: 'undo was interrupted',
  undone: 'undone',
  never: 'never started',
};

const ARC_DISCONNECTED = 'the Arc agent is not connected';
const CERTIFIED =
  'the node authenticates with its certificate, and does not need the agent while it is valid';

const OUTDATED_START =
  'step start-services: to be repeated; files of the kubelet were replaced after it was started. Run `flexnode bootstrap`';

/** The steps that replace files delete the fact first; the kubelet goes on running as it was started. */
function isStartOutdated({ steps, facts }: JournalState): boolean {
  return steps.get('start-services')?.state === 'completed' && facts.get(runsWith('kubelet')) === undefined;
}

function healthOf(journal: JournalState, steps: FlexStatus['steps'], problems: readonly string[]): Health {
  if (journal.steps.size === 0 || steps.every(({ state }) => state === 'undone' || state === 'never'))
    return 'not-bootstrapped';
  if (steps.some(({ state }) => state !== 'completed')) return 'incomplete';
  return problems.length === 0 ? 'healthy' : 'unhealthy';
}

async function versionOf(host: Host, path: string): Promise<string> {
  const { exitCode, stdout } = await host.run({
    argv: [path, '--version'],
    changes: false,
    timeoutMs: 10_000,
  });
  return exitCode === 0 ? (printedVersion(stdout) ?? '') : '';
}

async function arcStatus(
  { host, config }: StatusParts,
  journal: JournalState,
): Promise<FlexStatus['arcStatus']> {
  const { machineName, resourceGroup, location } = config.azure.arc;
  const resourceId = journal.facts.get('arc.machineId');
  const version = await responding(() => agentVersion(host));
  const state = version === undefined ? undefined : await responding(() => showAgent(host));
  return {
    registered: resourceId !== undefined || state?.resourceName !== undefined,
    connected: state?.connected === true,
    machineName: state?.resourceName ?? machineName,
    resourceGroup: state?.resourceGroup ?? resourceGroup,
    location,
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(version === undefined ? {} : { agentVersion: version }),
  };
}

/** A systemd that does not answer is a problem of the machine; status must not fail because of it. */
async function serviceStatus(
  host: StatusParts['host'],
  unit: string,
): Promise<{ readonly active: boolean; readonly problem?: string }> {
  try {
    return await unitState(host, unit);
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    return { active: false, problem: error.facts.message };
  }
}

/** An agent that hangs or fails is reported like one that is not there: status must not fail because of it. */
async function responding<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof FlexError) return undefined;
    throw error;
  }
}

async function nodeStatus(
  live: Live,
  journal: JournalState,
): Promise<{ readonly ready: FlexStatus['kubeletReady']; readonly problem: string }> {
  if (journal.facts.get('cluster.server') === undefined)
    return { ready: 'Unknown', problem: 'the API server is not known yet' };
  try {
    const node = await nodeFacts(live);
    if (node === undefined) return { ready: 'Unknown', problem: 'the Node does not exist' };
    if (node.ready) return { ready: 'Ready', problem: '' };
    return {
      ready: 'NotReady',
      problem: `the Node is not Ready: ${node.message ?? node.reason ?? 'no reason'}`,
    };
  } catch (failure) {
    if (live.signal.aborted) throw failure;
    rethrowProgramError(failure);
    return { ready: 'Unknown', problem: `the Node could not be read: ${codeOf(failure).message}` };
  }
}
