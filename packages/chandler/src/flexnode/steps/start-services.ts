/**
 * Step 11: containerd and the kubelet are enabled, started and proved, in this order, and the step ends only when the
 * Node is Ready, or with the cause. Undone, nothing of a pod is left running, mounted or routed.
 */

import { stepArtifactRequests } from '../artifacts/artifact-requests.ts';
import { knownHash } from '../artifacts/known-hash.ts';
import { fingerprint, sha256 } from '../engine/fingerprint.ts';
import { FlexError } from '../flex-error.ts';
import {
  arcToken,
  containerdProblem,
  kubeletHealthy,
  type Live,
  type NodeTokenSource,
  nodeFacts,
} from '../kubelet/live.ts';
import { labelChanges, settleLabels } from '../kubelet/node-labels.ts';
import { KUBELET_UNIT } from '../kubelet/paths.ts';
import { noteMount, unmountPods } from '../kubelet/pod-mounts.ts';
import { noteNetwork, removePodNetwork } from '../kubelet/pod-network.ts';
import {
  explained,
  HOLD_MS,
  proveContainerd,
  proveIdentity,
  proveKubelet,
  proveReady,
  type ServiceUnit,
  startContainerd,
  startKubelet,
} from '../kubelet/start.ts';
import {
  assumeRuntimeInUse,
  hasKubeletRun,
  noteOtherNamespaces,
  noteRuntime,
  remainingPods,
  stopPods,
  stopStrayTasks,
} from '../kubelet/stop-pods.ts';
import { tryUnit } from '../kubelet/systemd.ts';
import type { Leftover, Step, StepContext, StepId } from '../step.ts';
import { wantedFiles } from './containerd.ts';
import { kubeletFilesHash } from './kubelet.ts';
import { deleteTemporaryBindings, hasTemporaryBindings } from './operator-access.ts';
import { forgetReturned } from './returned.ts';
import { RETURNED, runsWith, systemctl, type UnitState, unitState } from './services.ts';

export interface StartServicesOptions {
  /** Default: the Arc agent of this machine. */
  readonly nodeToken?: NodeTokenSource;
}

export function createStartServices(options: StartServicesOptions = {}): Step {
  const nodeToken = options.nodeToken ?? arcToken;
  return {
    id: 'start-services',
    name: 'ServicesEnabled',
    title: 'Start containerd and the kubelet, and wait until the Node is Ready',
    phase: 'activation',
    inputs: (context) => ({ containerd: containerdFiles(context), kubelet: kubeletFiles(context) }),
    validate,
    isCompleted: (context) => isCompleted(liveOf(context, nodeToken), context),
    execute: (context) => execute(liveOf(context, nodeToken), context),
    undo,
  };
}

// ---------------------------------------------------------------------------------------------------

const UNITS: readonly ServiceUnit[] = ['containerd', 'kubelet'];

/** What containerd would have to be restarted for: what steps 5 and 6 put there. */
function containerdFiles(context: StepContext): string {
  const files = wantedFiles(context.config).map(({ path, content }) => [path, sha256(content)]);
  return fingerprint({ programs: [...programs(context, 'runc'), ...programs(context, 'containerd')], files });
}

/** And the kubelet: what steps 7 and 10 put there. */
function kubeletFiles(context: StepContext): string {
  return fingerprint({ programs: programs(context, 'kubernetes'), files: kubeletFilesHash(context) });
}

function programs({ config, architecture }: StepContext, step: StepId): readonly unknown[] {
  return stepArtifactRequests(step, config, architecture).map((request) => [
    request,
    knownHash(request, config.downloads)?.sha256,
  ]);
}

function liveOf(context: StepContext, nodeToken: NodeTokenSource): Live {
  const { world, host, config, cluster, facts, signal } = context;
  return { world, host, config, cluster, facts, nodeToken, signal };
}

async function validate({ host }: StepContext): Promise<void> {
  for (const path of [KUBELET_UNIT, '/etc/systemd/system/containerd.service']) {
    if ((await host.lstat(path)) !== undefined) continue;
    throw new FlexError({
      class: 'step',
      code: 'services.no-unit',
      message: `${path} does not exist, so the services cannot be started`,
      remedy: 'Run bootstrap without `--only` or `--skip`.',
      where: path,
    });
  }
}

async function isCompleted(live: Live, context: StepContext): Promise<boolean> {
  const { host, facts } = context;
  if (hasTemporaryBindings(facts)) return false;
  if (facts.get(runsWith('containerd')) !== containerdFiles(context)) return false;
  if (facts.get(runsWith('kubelet')) !== kubeletFiles(context)) return false;
  const [states, problem, healthy] = await Promise.all([
    Promise.all(UNITS.map((unit) => unitState(host, `${unit}.service`))),
    containerdProblem(host),
    kubeletHealthy(live),
  ]);
  if (states.some(({ active, enabled }) => !active || !enabled)) return false;
  if (problem !== undefined || !healthy) return false;
  try {
    const node = await nodeFacts(live);
    return node?.ready === true && Object.keys(labelChanges(live, node)).length === 0;
  } catch (error) {
    if (error instanceof FlexError) return false;
    throw error;
  }
}

async function execute(live: Live, context: StepContext): Promise<void> {
  const { host, config, facts, say, dryRun, world } = context;
  const sinceMs = world.clock.now();
  await forgetReturned(facts);
  if (!dryRun) {
    await noteMount(host, config, facts);
    await noteNetwork(host, facts);
  }
  for (const unit of UNITS) await noteState(context, unit);
  await systemctl(host, 'daemon-reload');

  const containerd = await explained(live, sinceMs, async () => {
    const change = await startContainerd(context, containerdFiles(context));
    if (!dryRun) await proveContainerd(live);
    return change;
  });
  say('containerd responds');

  if (!dryRun) {
    if (facts.get(runsWith('kubelet')) === undefined) await noteRuntime(host, facts);
    const { username } = await explained(live, sinceMs, () => proveIdentity(live));
    say('the API server authenticates this machine', { user: username });
  }
  const before = await explained(live, sinceMs, async () => {
    const status = await startKubelet(live, context, kubeletFiles(context));
    if (!dryRun) await proveKubelet(live);
    return status;
  });
  say('the kubelet is healthy');
  if (dryRun) return;
  const holdMs = containerd === 'restarted' ? HOLD_MS : 0;
  const node = await explained(live, sinceMs, () => proveReady(live, say, { before, holdMs }));
  await settleLabels(live, facts, node, say);
  await deleteTemporaryBindings(context);
  say('the Node is Ready', { node: config.agent.nodeName, version: node.kubeletVersion ?? '' });
}

/** Step 2 has noted it before it stopped them; without step 2 this is the first to see them. */
async function noteState({ host, facts }: StepContext, unit: ServiceUnit): Promise<void> {
  if (facts.get(`services.${unit}.enabled-before`) !== undefined) return;
  const { enabled, active } = await unitState(host, `${unit}.service`);
  const ours = facts.get(runsWith(unit)) !== undefined;
  await facts.set(`services.${unit}.enabled-before`, String(enabled && !ours));
  await facts.set(`services.${unit}.active-before`, String(active && !ours));
}

async function undo(context: StepContext): Promise<readonly Leftover[]> {
  const { host, config, facts } = context;
  if (facts.get(RETURNED) !== undefined) return await undoReturned(context);
  await assumeRuntimeInUse(host, facts);
  const leftovers: Leftover[] = [];
  const hadPods = hasKubeletRun(facts);
  await stop(context, 'kubelet', leftovers);
  if (hadPods) leftovers.push(...(await stopPods(context)));
  await noteOtherNamespaces(host, facts);
  await stop(context, 'containerd', leftovers);
  if (hadPods) await stopStrayTasks(host, facts);
  leftovers.push(...(await unmountPods(host, config, facts)));
  await removePodNetwork(host, facts);
  return leftovers;
}

/**
 * A second undo, after the services were restored. If one of them is running, containers and mounts may be those of the
 * restored node, so they are left alone.
 */
async function undoReturned({ host, config, facts, say }: StepContext): Promise<readonly Leftover[]> {
  const states = await Promise.all(UNITS.map((unit) => unitState(host, `${unit}.service`)));
  const ranBefore = UNITS.some((unit) => facts.get(`services.${unit}.active-before`) === 'true');
  if (ranBefore || states.some(({ active }) => active)) {
    say('the services from before bootstrap are restored; their containers and mounts are not changed');
    return [];
  }
  return [...(await remainingPods(host, facts)), ...(await unmountPods(host, config, facts))];
}

/** Without an answer of systemd the unit is stopped all the same: its files are removed next. */
function assumeRunning(error: unknown): UnitState {
  if (error instanceof FlexError && error.facts.code === 'systemd.no-answer')
    return { active: true, enabled: true };
  throw error;
}

/** Stopped, and disabled unless it was enabled before us. That it runs again, if it did, is for when its files are back. */
async function stop({ host, facts }: StepContext, unit: ServiceUnit, leftovers: Leftover[]): Promise<void> {
  const service = `${unit}.service`;
  const { active, enabled } = await unitState(host, service).catch(assumeRunning);
  if (active) {
    const { exitCode } = await tryUnit(host, 'stop', service);
    if (exitCode !== 0) {
      leftovers.push({
        what: service,
        why: 'it could not be stopped',
        finish: [`systemctl kill -s KILL ${service}`, `systemctl disable ${service}`],
      });
    }
  }
  if (enabled && facts.get(`services.${unit}.enabled-before`) !== 'true') {
    await tryUnit(host, 'disable', service);
  }
  await tryUnit(host, 'reset-failed', service);
  await facts.delete(runsWith(unit));
}
