/**
 * Starts a unit with the current files, and verifies the node: containerd responds, the identity is accepted, the kubelet
 * is healthy and does not restart, the Node is Ready. A failure is reported with its cause.
 */
import { rethrowProgramError } from '@chandler/kube';
import type { ClusterCredential, NodeFacts } from '../azure/cluster-client.ts';
import { excerptsOf, gatherEvidence } from '../causes/gather.ts';
import { explain } from '../causes/table.ts';
import { type FailureClass, FlexError } from '../flex-error.ts';
import type { StepContext } from '../step.ts';
import { forgetRun, runsWith, systemctl, unitState } from '../steps/services.ts';
import {
  clusterAddress,
  codeOf,
  containerdProblem,
  kubeletHealthy,
  type Live,
  nodeCredential,
  nodeFacts,
  rememberedToken,
  waitFor,
} from './live.ts';
import { hasNodeCertificate, isKubeconfigStale } from './node-certificate.ts';
import { kubeletPaths } from './paths.ts';
import { restartsOf, tryUnit } from './systemd.ts';

export const CONTAINERD_WITHIN_MS = 60_000;
export const HEALTHY_WITHIN_MS = 120_000;
/** systemd restarts a failed kubelet after two seconds: it must run for longer than that. */
export const STEADY_MS = 5_000;
/** After this many restarts, waiting does not help. */
const MAX_RESTARTS = 5;

/**
 * How long a Node must stay Ready after containerd was replaced: the kubelet reports a runtime as down after 30 s, and the
 * Node of a dead kubelet stays Ready for 40 s.
 */
export const HOLD_MS = 40_000;
/** If it is not known how old the status is. From 1.32 on, the Node of a dead kubelet stays Ready for 50 s. */
const UNKNOWN_HOLD_MS = 60_000;

export type ServiceUnit = 'containerd' | 'kubelet';

/**
 * The status of the Node when no kubelet was running, to recognise the first report of the kubelet that was started then.
 * `running`: the kubelet was not started by this run. `unknown`: the Node could not be read.
 */
export type StatusBefore = 'running' | 'unknown' | { readonly heartbeat: string | undefined };

/** Enabled and running with these files: started, restarted when the files are others, or left alone. */
export async function startContainerd(
  context: StepContext,
  files: string,
): Promise<'running' | 'started' | 'restarted'> {
  const { host, facts } = context;
  const active = await beforeStart(context, 'containerd', files);
  if (active === undefined) return 'running';
  // The status of the Node shows the new runtime only once the kubelet is started anew.
  await forgetRun(facts, 'kubelet');
  await systemctl(host, active ? 'restart' : 'start', 'containerd.service');
  await facts.set(runsWith('containerd'), files);
  return active ? 'restarted' : 'started';
}

/** The same for the kubelet. */
export async function startKubelet(live: Live, context: StepContext, files: string): Promise<StatusBefore> {
  const { facts, host, dryRun } = context;
  const active = await beforeStart(context, 'kubelet', files);
  if (active === undefined) return 'running';
  let before: StatusBefore = 'unknown';
  if (dryRun) await systemctl(host, active ? 'restart' : 'start', KUBELET);
  else before = await restartKubelet(live, active);
  await facts.set(runsWith('kubelet'), files);
  return before;
}

/** The Node is read while no kubelet runs: a report of the old one in between would be taken for one of the new one. */
export async function restartKubelet(live: Live, active: boolean): Promise<StatusBefore> {
  try {
    if (active) await systemctl(live.host, 'stop', KUBELET);
    return await statusBefore(live);
  } finally {
    // Also if the run is interrupted. systemd goes on with a stop whose systemctl was ended.
    await systemctl(live.host, 'start', KUBELET);
  }
}

export async function proveContainerd(live: Live): Promise<void> {
  let problem: string | undefined;
  const answers = await waitFor(live, { withinMs: CONTAINERD_WITHIN_MS, everyMs: 1_000 }, async () => {
    problem = await containerdProblem(live.host);
    return problem === undefined ? true : undefined;
  });
  if (answers === undefined)
    throw new StartError('step', 'services.containerd', problem ?? 'containerd does not respond');
}

/** The user that the API server sees for the machine; checked before the kubelet starts. */
export async function proveIdentity(live: Live): Promise<{ readonly username: string }> {
  // With a certificate the kubelet needs no token, so the Arc agent may be down.
  const credential = (await certificateInUse(live)) ?? {
    kind: 'token',
    token: await live.nodeToken(live),
  };
  const address = clusterAddress(live.facts);
  let last: unknown;
  const who = await waitFor(live, { withinMs: 60_000, everyMs: 5_000 }, async () => {
    try {
      return await live.cluster.whoAmI(address, credential, live.signal);
    } catch (error) {
      last = error;
      if (error instanceof FlexError && error.facts.class === 'network') return undefined;
      throw error;
    }
  });
  if (who === undefined) throw last;
  if (/^system:anonymous$/.test(who.username)) {
    throw new StartError(
      'auth',
      'services.anonymous',
      'the API server does not authenticate the machine (system:anonymous): Unauthorized',
    );
  }
  return who;
}

export async function proveKubelet(live: Live): Promise<void> {
  const before = await restartsOf(live.host, KUBELET);
  const steady = await waitFor(live, { withinMs: HEALTHY_WITHIN_MS, everyMs: 2_000 }, async () => {
    const restarts = await restartsOf(live.host, KUBELET);
    if (restarts - before >= MAX_RESTARTS) return 'restarting' as const;
    if (!(await isUp(live))) return undefined;
    await live.world.clock.sleep(STEADY_MS, live.signal);
    const stays = (await restartsOf(live.host, KUBELET)) === restarts && (await isUp(live));
    return stays ? ('steady' as const) : undefined;
  });
  if (steady === 'steady') return;
  const what = steady === 'restarting' ? 'restarts repeatedly' : 'does not become healthy';
  throw new StartError('step', 'services.kubelet', `the kubelet ${what}`);
}

export interface ReadyOptions {
  readonly before: StatusBefore;
  /** How long the Node must stay Ready. Default 0. */
  readonly holdMs?: number;
}

export async function proveReady(
  live: Live,
  say: StepContext['say'],
  options: ReadyOptions,
): Promise<NodeFacts> {
  const { before } = options;
  const { nodeName } = live.config.agent;
  const holdMs = Math.max(options.holdMs ?? 0, before === 'unknown' ? UNKNOWN_HOLD_MS : 0);
  const withinMs = live.config.readiness.deadlineSeconds * 1000 + holdMs;
  const holds = steadiness(live, holdMs);
  const patient = { ...live, nodeToken: rememberedToken(live.nodeToken) };
  let [last, said, failure]: [NodeFacts | undefined, string, unknown] = [undefined, '', undefined];
  const ready = await waitFor(live, { withinMs, everyMs: 2_000 }, async () => {
    try {
      last = await nodeFacts(patient);
      failure = undefined;
    } catch (error) {
      if (live.signal.aborted) throw error;
      rethrowProgramError(error);
      failure = error;
    }
    const now = failure === undefined ? describe(last, before) : codeOf(failure).message;
    if (now !== said) say(`Node ${nodeName}: ${now}`);
    said = now;
    if (failure !== undefined) return undefined;
    return (await holds(last?.ready === true && !isOld(last, before))) ? last : undefined;
  });
  if (ready !== undefined) return ready;
  const seconds = live.config.readiness.deadlineSeconds;
  throw new StartError(
    'step',
    'services.not-ready',
    `the Node ${nodeName} is not Ready after ${seconds} s (${said})`,
    failure === undefined ? (last ?? null) : undefined,
    failure,
  );
}

/**
 * Returns a function that is called with each reading, and is true once all readings of this time were good and the
 * services have been running. Readings that failed are not passed to it.
 */
export function steadiness(live: Live, holdMs: number): (isGood: boolean) => Promise<boolean> {
  let sinceMs: number | undefined;
  return async (isGood) => {
    if (!isGood || (holdMs > 0 && !(await areServicesUp(live)))) {
      sinceMs = undefined;
      return false;
    }
    const nowMs = live.world.clock.monotonic();
    sinceMs ??= nowMs;
    return nowMs - sinceMs >= holdMs;
  };
}

export async function areServicesUp(live: Live): Promise<boolean> {
  return (await isUp(live)) && (await containerdProblem(live.host)) === undefined;
}

/** Runs one check; rethrows its failure with the cause, the remedy and the last lines of the journals. */
export async function explained<T>(live: Live, sinceMs: number, proof: () => Promise<T>): Promise<T> {
  try {
    return await proof();
  } catch (error) {
    if (live.signal.aborted) throw error;
    throw await explainedError(live, sinceMs, error);
  }
}

// ---------------------------------------------------------------------------------------------------

const KUBELET = 'kubelet.service';

/** Enables the unit. Returns whether it is active, or `undefined` if it runs with these files. */
async function beforeStart(
  { host, facts, say }: StepContext,
  unit: ServiceUnit,
  files: string,
): Promise<boolean | undefined> {
  const service = `${unit}.service`;
  const { active, enabled } = await unitState(host, service);
  if (!enabled) await systemctl(host, 'enable', service);
  if (active && facts.get(runsWith(unit)) === files) return undefined;
  // Removed before the start and set after it: if the run is killed in between, the next run restarts the unit.
  await facts.delete(runsWith(unit));
  await tryUnit(host, 'reset-failed', service);
  say(`${active ? 'restart' : 'start'} ${unit}`);
  return active;
}

async function statusBefore(live: Live): Promise<StatusBefore> {
  try {
    const credential = await nodeCredential(live);
    // Without a credential yet, the Node can be only that of an earlier kubelet.
    if (credential === undefined)
      return live.facts.get('cluster.nodeBefore') === 'yes' ? 'unknown' : { heartbeat: undefined };
    const { nodeName } = live.config.agent;
    const node = await live.cluster.node(clusterAddress(live.facts), credential, nodeName, live.signal);
    return { heartbeat: node?.heartbeat };
  } catch (error) {
    if (live.signal.aborted) throw error;
    rethrowProgramError(error);
    return 'unknown';
  }
}

/** The certificate with which the kubelet will authenticate: a valid one, and a kubeconfig for this cluster. */
async function certificateInUse(live: Live): Promise<ClusterCredential | undefined> {
  const { host, config, world, facts } = live;
  if (!config.security.tlsBootstrap || !(await hasNodeCertificate(host, config, world))) return undefined;
  if ((await host.lstat(kubeletPaths(config).kubeconfig)) === undefined) return undefined;
  if (await isKubeconfigStale(host, config, clusterAddress(facts))) return undefined;
  return await nodeCredential(live);
}

/** The time is only compared for equality: the clocks of the machine and of the cluster may differ. */
function isOld({ heartbeat }: NodeFacts, before: StatusBefore): boolean {
  return typeof before === 'object' && before.heartbeat !== undefined && heartbeat === before.heartbeat;
}

async function isUp(live: Live): Promise<boolean> {
  try {
    return (await unitState(live.host, KUBELET)).active && (await kubeletHealthy(live));
  } catch (error) {
    // Asked again until the deadline.
    if (error instanceof FlexError && error.facts.code === 'systemd.no-answer') return false;
    throw error;
  }
}

/** A failure that `explained` completes with its cause. */
class StartError extends FlexError {
  readonly node: NodeFacts | null | undefined;

  constructor(
    failureClass: FailureClass,
    code: string,
    message: string,
    node?: NodeFacts | null,
    cause?: unknown,
  ) {
    super({ class: failureClass, code, message, cause });
    this.node = node;
  }
}

async function explainedError(live: Live, sinceMs: number, error: unknown): Promise<FlexError> {
  const failure = codeOf(error instanceof StartError ? (error.facts.cause ?? error) : error);
  const evidence = await gatherEvidence({
    world: live.world,
    host: live.host,
    config: live.config,
    facts: live.facts,
    sinceMs,
    failure,
    ...(error instanceof StartError && error.node !== undefined ? { node: error.node } : {}),
  });
  const [cause, ...others] = explain(evidence);
  const facts = error instanceof FlexError ? error.facts : undefined;
  const excerpts = excerptsOf(evidence);
  const message = facts?.message ?? failure.message;
  if (cause === undefined) {
    return new FlexError({
      class: facts?.class ?? 'step',
      code: facts?.code ?? 'services.failed',
      message,
      remedy: facts?.remedy ?? 'Run journalctl -u kubelet -n 100 --no-pager.',
      excerpts,
      cause: error,
    });
  }
  const also = others.length === 0 ? '' : ` Also: ${others.map(({ title }) => title).join('; ')}.`;
  return new FlexError({
    class: facts?.class ?? 'step',
    code: cause.id,
    message: `${message}. ${cause.title}. ${cause.summary}${also}`,
    remedy: [cause.fix, ...cause.commands.map((command) => `  ${command}`)].join('\n'),
    excerpts,
    cause: error,
  });
}

function describe(node: NodeFacts | undefined, before: StatusBefore): string {
  if (node === undefined) return 'not registered yet';
  if (node.ready && isOld(node, before))
    return 'Ready in an old status; the kubelet has not reported since it was started';
  if (node.ready) return 'Ready';
  return `not ready${node.reason === undefined ? '' : `, ${node.reason}`}${node.message === undefined ? '' : `: ${node.message}`}`;
}
