/**
 * Starts a unit with the current files, and verifies the node: containerd responds, the identity is accepted, the kubelet
 * is healthy and does not restart, the Node is Ready. A failure is reported with its cause.
 */
import { rethrowProgramError } from '@chandler/kube';
import type { NodeFacts } from '../azure/cluster-client.ts';
import { excerptsOf, gatherEvidence } from '../causes/gather.ts';
import { explain } from '../causes/table.ts';
import { type FailureClass, FlexError } from '../flex-error.ts';
import type { StepContext } from '../step.ts';
import { runsWith, systemctl, unitState } from '../steps/services.ts';
import {
  clusterAddress,
  codeOf,
  containerdProblem,
  kubeletHealthy,
  type Live,
  nodeFacts,
  rememberedToken,
  waitFor,
} from './live.ts';
import { restartsOf, tryUnit } from './systemd.ts';

export const CONTAINERD_WITHIN_MS = 60_000;
export const HEALTHY_WITHIN_MS = 120_000;
/** systemd restarts a failed kubelet after two seconds: it must run for longer than that. */
export const STEADY_MS = 5_000;
/** After this many restarts, waiting does not help. */
const MAX_RESTARTS = 5;

export type ServiceUnit = 'containerd' | 'kubelet';

/** Enabled and running with these files: started, restarted when the files are others, or left alone. */
export async function startUnit(context: StepContext, unit: ServiceUnit, files: string): Promise<void> {
  const { host, facts, say } = context;
  const service = `${unit}.service`;
  const state = await unitState(host, service);
  if (!state.enabled) await systemctl(host, 'enable', service);
  if (state.active && facts.get(runsWith(unit)) === files) return;
  // Removed before the start and set after it: if the run is killed in between, the next run restarts the unit.
  await facts.delete(runsWith(unit));
  const act = state.active ? 'restart' : 'start';
  await tryUnit(host, 'reset-failed', service);
  say(`${act} ${unit}`);
  await systemctl(host, act, service);
  await facts.set(runsWith(unit), files);
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
  const token = await live.nodeToken(live);
  const address = clusterAddress(live.facts);
  let last: unknown;
  const who = await waitFor(live, { withinMs: 60_000, everyMs: 5_000 }, async () => {
    try {
      return await live.cluster.whoAmI(address, { kind: 'token', token }, live.signal);
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

export async function proveReady(live: Live, say: StepContext['say']): Promise<NodeFacts> {
  const { nodeName } = live.config.agent;
  const withinMs = live.config.readiness.deadlineSeconds * 1000;
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
    const now = failure === undefined ? describe(last) : codeOf(failure).message;
    if (now !== said) say(`Node ${nodeName}: ${now}`);
    said = now;
    return failure === undefined && last?.ready === true ? last : undefined;
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

function describe(node: NodeFacts | undefined): string {
  if (node === undefined) return 'not registered yet';
  if (node.ready) return 'Ready';
  return `not ready${node.reason === undefined ? '' : `, ${node.reason}`}${node.message === undefined ? '' : `: ${node.message}`}`;
}
