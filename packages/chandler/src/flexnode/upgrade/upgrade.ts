/**
 * Upgrades kubelet, containerd or runc: downloads and verifies everything, saves the old files, runs the steps of
 * bootstrap with the new config, and waits until the Node is Ready with the new version. A failure after the first file
 * was replaced, including a killed process, ends with the old files restored and running.
 */
import { rethrowProgramError } from '@chandler/kube';
import { stepArtifactRequests } from '../artifacts/artifact-requests.ts';
import type { FlexConfig } from '../config/config.ts';
import { factsOf, type RunOptions, timestamp } from '../engine/context.ts';
import { checkIdentity } from '../engine/identity.ts';
import { type Journal, openJournal, readJournal } from '../engine/journal.ts';
import { type Lock, refuseIfLocked, takeLock } from '../engine/lock.ts';
import type { Parts } from '../engine/parts.ts';
import { recordedConfig } from '../engine/recorded-config.ts';
import type { StepRecord } from '../engine/records.ts';
import { runBootstrap } from '../engine/run.ts';
import { FlexError, type FlexErrorFacts } from '../flex-error.ts';
import { clusterFacts } from '../kubelet/files.ts';
import {
  arcToken,
  clusterAddress,
  type Live,
  type NodeTokenSource,
  nodeCredential,
  nodeFacts,
  rememberedToken,
} from '../kubelet/live.ts';
import { isKubeconfigStale } from '../kubelet/node-certificate.ts';
import { kubeletPaths } from '../kubelet/paths.ts';
import { HOLD_MS, proveContainerd, proveKubelet, proveReady, restartKubelet } from '../kubelet/start.ts';
import type { Facts } from '../step.ts';
import { runsWith, systemctl } from '../steps/services.ts';
import { isWell, proveVersion } from './prove-version.ts';
import {
  dropRecord,
  putBack,
  readRecord,
  saveFiles,
  UPGRADE_STEPS,
  type UpgradeRecord,
} from './saved-files.ts';
import {
  COMPONENTS,
  changedComponents,
  checkUpgradePath,
  installedVersions,
  notesOf,
  sameVersion,
  targetConfig,
  type UpgradeTarget,
  type Versions,
  versionsOf,
} from './versions.ts';

export interface UpgradeOptions extends RunOptions {
  /** Default: the Arc agent of this machine. */
  readonly nodeToken?: NodeTokenSource;
  readonly say?: (message: string) => void;
}

export interface UpgradeResult {
  /** `refused`: nothing was touched. `stuck`: the old files could not be brought back either. */
  readonly outcome: 'upgraded' | 'nothing-to-do' | 'refused' | 'rolled-back' | 'stuck';
  readonly from: Versions;
  readonly to: Versions;
  readonly notes: readonly string[];
  readonly durationMs: number;
  readonly error?: FlexErrorFacts;
}

/** The result contains the error; it throws only if the lock cannot be released. */
export async function runUpgrade(
  parts: Parts,
  target: UpgradeTarget,
  options: UpgradeOptions,
): Promise<UpgradeResult> {
  const config = targetConfig(parts.config, target);
  const upgrade: Upgrade = {
    parts: { ...parts, config },
    options,
    say: options.say ?? (() => undefined),
    startedMs: parts.world.clock.monotonic(),
    id: parts.world.random.uuid(),
    from: { runc: '', containerd: '', kubernetes: '' },
    to: versionsOf(config),
    notes: [],
  };
  let lock: Lock;
  try {
    await accept(upgrade, parts);
    lock = await takeLock(parts, { verb: 'upgrade', run: upgrade.id });
  } catch (error) {
    return ended(upgrade, 'refused', factsOf(error, options.signal));
  }
  try {
    return await underLock(upgrade, parts, target);
  } finally {
    // After a failed download, others are still in progress: they write files until they are stopped.
    await parts.artifacts.stop?.();
    await lock.release();
  }
}

// ---------------------------------------------------------------------------------------------------

interface Upgrade {
  parts: Parts;
  readonly options: UpgradeOptions;
  readonly say: (message: string) => void;
  readonly startedMs: number;
  readonly id: string;
  from: Versions;
  readonly to: Versions;
  notes: readonly string[];
  /** If it differs from the recorded one. */
  serverVersion?: string;
}

/** What needs no lock: a machine that is rejected stays as it is. */
async function accept(upgrade: Upgrade, given: Parts): Promise<void> {
  await refuseIfLocked(upgrade.parts);
  const recorded = await readJournal(upgrade.parts.host);
  if (recorded.steps.get('start-services') === undefined) throw notBootstrapped();
  if (UPGRADE_STEPS.some((step) => isUndone(recorded.steps.get(step)?.state))) {
    throw notBootstrapped('unbootstrap has removed this machine from the cluster, or has begun to');
  }
  checkIdentity(recorded, given.config, 'upgrade');
}

/** Until the record of the old files is dropped: another run would take it for that of a process that was killed. */
async function underLock(upgrade: Upgrade, given: Parts, target: UpgradeTarget): Promise<UpgradeResult> {
  const { signal } = upgrade.options;
  try {
    if (!(await prepare(upgrade, given, target))) return ended(upgrade, 'nothing-to-do');
  } catch (error) {
    if (error instanceof RollbackError) return ended(upgrade, 'stuck', error.facts);
    return ended(upgrade, 'refused', factsOf(error, signal));
  }
  try {
    await switchOver(upgrade);
    return ended(upgrade, 'upgraded');
  } catch (error) {
    return await goBack(upgrade, error instanceof FlexError ? error.facts : factsOf(error, signal));
  }
}

/** `false`: there is nothing to do. Every rejection happens here, and every download. */
async function prepare(upgrade: Upgrade, given: Parts, target: UpgradeTarget): Promise<boolean> {
  const recorded = await readJournal(upgrade.parts.host);
  // Before anything that asks the cluster: the node authenticates as it was bootstrapped, not as the config says now.
  const security = recordedConfig(recorded)?.security ?? given.config.security;
  upgrade.parts = { ...upgrade.parts, config: { ...upgrade.parts.config, security } };
  await finishEarlier(upgrade);
  const journal = await readJournal(upgrade.parts.host);
  const { parts, say } = upgrade;
  upgrade.from = await installedVersions(parts.host);
  const server = await serverVersion(upgrade, journal.facts.get('cluster.serverVersion'));
  checkUpgradePath(upgrade.from, upgrade.to, {
    allowDowngrade: target.allowDowngrade === true,
    ...(server === undefined ? {} : { serverVersion: server }),
  });
  const notes = [...notesOf(upgrade.from, upgrade.to, given.config), ...modeNote(security, given.config)];
  upgrade.notes = [...upgrade.notes, ...notes];
  const changed = changedComponents(upgrade.from, upgrade.to);
  if (changed.length === 0) {
    await refuseIfNotRunning(upgrade);
    return false;
  }
  await refuseOtherKubeconfig(parts, journal.facts);
  const requests = changed.flatMap((step) => stepArtifactRequests(step, parts.config, parts.architecture));
  parts.artifacts.prefetch(requests);
  for (const each of requests) {
    const file = await parts.artifacts.obtain(each, parts.host);
    say(`downloaded and verified ${each.kind} ${each.version} (${file.bytes} bytes)`);
  }
  return true;
}

/** Bootstrap may have installed the programs and not come to its last step: the kubelet goes on running with the old ones. */
async function refuseIfNotRunning(upgrade: Upgrade): Promise<void> {
  const { to, options } = upgrade;
  const live = await liveOf(upgrade, options.signal);
  if (live.facts.get(runsWith('kubelet')) !== undefined) return;
  const reported = (await nodeFacts(live))?.kubeletVersion ?? '';
  if (sameVersion(reported, to.kubernetes)) return;
  throw new FlexError({
    class: 'usage',
    code: 'upgrade.not-running',
    message: `kubelet ${to.kubernetes} is installed, but the Node reports ${reported || 'no version'}`,
    remedy: 'Run `flexnode bootstrap`, which restarts the kubelet with the installed version.',
  });
}

/** The steps would remove it as stale, and only bootstrap can request another certificate. */
async function refuseOtherKubeconfig({ host, config }: Parts, facts: Pick<Facts, 'get'>): Promise<void> {
  if (!config.security.tlsBootstrap || !(await isKubeconfigStale(host, config, clusterFacts(facts)))) return;
  throw new FlexError({
    class: 'usage',
    code: 'upgrade.other-kubeconfig',
    message: 'the kubeconfig of the kubelet has another API server or CA than was recorded at bootstrap',
    remedy: 'Run `flexnode bootstrap` first, which reads both from the cluster; then upgrade.',
    where: kubeletPaths(config).kubeconfig,
  });
}

/** The cluster may have been upgraded since bootstrap. If it cannot be read, the recorded version counts. */
async function serverVersion(upgrade: Upgrade, recorded: string | undefined): Promise<string | undefined> {
  const { parts, options, say } = upgrade;
  try {
    const live = await liveOf(upgrade, options.signal);
    const credential = await nodeCredential(live);
    const now = await parts.cluster.serverVersion(clusterAddress(live.facts), options.signal, credential);
    if (now === '' || now === recorded) return recorded;
    upgrade.serverVersion = now;
    return now;
  } catch (error) {
    if (options.signal.aborted || !(error instanceof FlexError)) throw error;
    say(`the version of the API server could not be read, assuming ${recorded}: ${error.facts.message}`);
    return recorded;
  }
}

/** How the node authenticates stays as it is: only bootstrap changes it, because it also changes the bindings. */
function modeNote(security: FlexConfig['security'], { security: wanted }: FlexConfig): readonly string[] {
  if (security.tlsBootstrap === wanted.tlsBootstrap) return [];
  const [now, then] = wanted.tlsBootstrap
    ? ['with the Arc token', 'to a node certificate, which limits the node to its own pods']
    : ['with a node certificate', 'to the Arc token'];
  return [`the node still authenticates ${now}; \`flexnode bootstrap\` changes it ${then}`];
}

/** Handles an earlier upgrade that was killed after it replaced files. */
async function finishEarlier(upgrade: Upgrade): Promise<void> {
  const { host } = upgrade.parts;
  const record = await readRecord(host);
  if (record === undefined) return;
  const there = await installedVersions(host);
  const foreign = COMPONENTS.some(
    (each) => !sameVersion(there[each], record.from[each]) && !sameVersion(there[each], record.to[each]),
  );
  const live = await liveOf(upgrade, upgrade.options.signal);
  const arrived = changedComponents(there, record.to).length === 0 && (await isWell(live, record.to));
  if (foreign || arrived) {
    await dropRecord(host);
    return;
  }
  upgrade.say('an earlier upgrade was interrupted; rolling back to the old versions first');
  try {
    await restore(upgrade, record);
  } catch (error) {
    const { message } = factsOf(error, new AbortController().signal);
    throw new RollbackError({
      class: 'step',
      code: 'upgrade.rollback',
      message: `an earlier upgrade was interrupted, and its rollback failed: ${message}`,
      remedy: ROLLBACK_REMEDY,
    });
  }
  upgrade.notes = ['an earlier upgrade was interrupted: its old versions were restored first'];
}

/** Files were restored, but not all of them, or they do not work. */
class RollbackError extends FlexError {}

const ROLLBACK_REMEDY =
  'Run `flexnode upgrade` again, which rolls back first. Or run bootstrap with the old versions in the config.';

async function switchOver(upgrade: Upgrade): Promise<void> {
  const { parts, options, say } = upgrade;
  const { host } = parts;
  const journal = await openJournal(host);
  // The steps compare with the recorded version.
  if (upgrade.serverVersion !== undefined)
    await journal.facts.set('cluster.serverVersion', upgrade.serverVersion);
  try {
    await saveFiles(host, journal.state, { from: upgrade.from, to: upgrade.to });
  } catch (error) {
    // They would fill the disk until the next upgrade.
    await parts.artifacts.discard(host).catch(rethrowProgramError);
    throw error;
  }
  say('saved the old programs; replacing them');
  const run = await runBootstrap(parts, {
    only: UPGRADE_STEPS,
    signal: options.signal,
    on: options.on,
    isLocked: true,
  });
  if (!run.success)
    throw new FlexError(run.error ?? { class: 'step', code: 'upgrade.failed', message: 'the steps failed' });
  await proveVersion(await liveOf(upgrade, options.signal), upgrade.from, upgrade.to);
  try {
    await dropRecord(host);
  } catch (error) {
    rethrowProgramError(error);
    const { message } = factsOf(error, options.signal);
    upgrade.notes = [...upgrade.notes, `what was saved for a rollback could not be removed: ${message}`];
  }
}

async function goBack(upgrade: Upgrade, error: FlexErrorFacts): Promise<UpgradeResult> {
  const record = await readRecord(upgrade.parts.host);
  if (record === undefined) return ended(upgrade, 'refused', error);
  upgrade.say(`${error.message}; rolling back`);
  try {
    await restore(upgrade, record);
    return ended(upgrade, 'rolled-back', error);
  } catch (second) {
    const { message } = factsOf(second, new AbortController().signal);
    return ended(upgrade, 'stuck', {
      ...error,
      message: `${error.message}. The rollback failed, too: ${message}`,
      remedy: ROLLBACK_REMEDY,
    });
  }
}

/** Ignores the operator's signal: an interrupted upgrade must end with all old files, not with some of each. */
async function restore(upgrade: Upgrade, record: UpgradeRecord): Promise<void> {
  const { host } = upgrade.parts;
  const { signal } = new AbortController();
  const journal = await openJournal(host);
  await putBack(host, journal.state, record);
  await forgetSwitch(upgrade, journal);
  await systemctl(host, 'daemon-reload');
  await systemctl(host, 'restart', 'containerd.service');
  const live = await liveOf(upgrade, signal);
  const before = await restartKubelet(live, true);
  await proveContainerd(live);
  await proveKubelet(live);
  await proveReady(live, upgrade.say, { before, holdMs: HOLD_MS });
  await dropRecord(host);
}

/** The next bootstrap must check these steps again, with any config. */
async function forgetSwitch({ parts }: Upgrade, journal: Journal): Promise<void> {
  const at = timestamp(parts);
  for (const step of UPGRADE_STEPS) {
    if (journal.state.steps.get(step)?.state === 'completed')
      await journal.append({ kind: 'step-failed', step, code: 'upgrade.rolled-back', at });
  }
  for (const unit of ['containerd', 'kubelet'] as const) await journal.facts.delete(runsWith(unit));
}

async function liveOf({ parts, options }: Upgrade, signal: AbortSignal): Promise<Live> {
  const { facts } = await readJournal(parts.host);
  const { world, host, config, cluster } = parts;
  const nodeToken = rememberedToken(options.nodeToken ?? arcToken);
  return { world, host, config, cluster, nodeToken, signal, facts: { get: (key) => facts.get(key) } };
}

function ended(upgrade: Upgrade, outcome: UpgradeResult['outcome'], error?: FlexErrorFacts): UpgradeResult {
  const { from, to, notes, parts, startedMs } = upgrade;
  const durationMs = parts.world.clock.monotonic() - startedMs;
  return { outcome, from, to, notes, durationMs, ...(error === undefined ? {} : { error }) };
}

function isUndone(state: StepRecord['state'] | undefined): boolean {
  return state === 'undone' || state === 'undoing';
}

function notBootstrapped(
  message = 'this machine is not bootstrapped, so there is nothing to upgrade',
): FlexError {
  return new FlexError({
    class: 'usage',
    code: 'upgrade.not-bootstrapped',
    message,
    remedy: 'Run `flexnode bootstrap`.',
  });
}
