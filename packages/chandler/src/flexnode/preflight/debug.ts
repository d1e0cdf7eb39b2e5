/**
 * Runs the preflight checks, and checks the services, the identity and the Node; then finds the cause in the journals.
 * For a machine that was bootstrapped and does not work. Read-only.
 */
import { rethrowProgramError } from '@chandler/kube';
import type { NodeFacts } from '../azure/cluster-client.ts';
import type { FoundCause } from '../causes/cause.ts';
import { excerptsOf, gatherEvidence } from '../causes/gather.ts';
import { explain } from '../causes/table.ts';
import { redact, redactedJson } from '../engine/redact.ts';
import type { LogExcerpt } from '../flex-error.ts';
import {
  arcToken,
  clusterAddress,
  codeOf,
  containerdProblem,
  kubeletHealthy,
  type Live,
  type NodeTokenSource,
  nodeFacts,
} from '../kubelet/live.ts';
import { usesNodeCertificate } from '../kubelet/node-certificate.ts';
import { restartsOf } from '../kubelet/systemd.ts';
import { unitState } from '../steps/services.ts';
import { type Check, error, type Inspection, ok, type PreflightParts, warning } from './check.ts';
import { CHECKS, inspect, type PreflightOptions, runChecks } from './preflight.ts';
import { type Finding, makeReport, type PreflightReport, reportJson, reportText } from './report.ts';

export interface DebugReport extends PreflightReport {
  /** The most exact first; empty when nothing is wrong, or nothing known. */
  readonly causes: readonly FoundCause[];
  readonly excerpts: readonly LogExcerpt[];
}

export interface DebugOptions extends PreflightOptions {
  /** Default: the Arc agent of this machine. */
  readonly nodeToken?: NodeTokenSource;
}

export async function runDebug(parts: PreflightParts, options: DebugOptions): Promise<DebugReport> {
  // Without Azure: a node that does not work must be diagnosed without the operator's login.
  const { azure: _azure, ...local } = parts;
  const inspection = await inspect(local, options);
  const seen: Seen = {};
  const live: Live = { ...inspection, nodeToken: options.nodeToken ?? arcToken };
  const before = await runChecks(CHECKS, inspection);
  // After the preflight checks, so that their effects on the journals are not mistaken for symptoms.
  const after = await runChecks(inspection.ours ? liveChecks(live, seen) : [], inspection);
  const report = makeReport([...before, ...after], options);
  const evidence = await gatherEvidence({ ...inspection, ...seen });
  const broken = after.some(({ severity }) => severity === 'error');
  return {
    ...report,
    causes: broken ? explain(evidence) : [],
    excerpts: broken ? excerptsOf(evidence) : [],
  };
}

export function debugText(report: DebugReport): string {
  const causes = report.causes.flatMap(({ id, title, summary, fix, commands, seen }) => [
    '',
    `Cause: ${title} (${id})`,
    `  ${summary}`,
    ...seen.map(({ where, what }) => `  Evidence (${where}): ${what}`),
    `  Fix: ${fix}`,
    ...commands.map((command) => `    ${command}`),
  ]);
  const logs = report.excerpts.flatMap(({ from, lines }) => [
    '',
    `${from}:`,
    ...lines.map((line) => `  ${line}`),
  ]);
  const more = [...causes, ...logs];
  return `${reportText(report)}${more.length === 0 ? '' : `${redact(more.join('\n'))}\n`}`;
}

export function debugJson(report: DebugReport): string {
  const { causes, excerpts } = report;
  return `${redactedJson({ ...(JSON.parse(reportJson(report)) as object), causes, excerpts }, 2)}\n`;
}

// ---------------------------------------------------------------------------------------------------

/** What the checks found that the causes want too. */
interface Seen {
  node?: NodeFacts | null;
  failure?: { readonly code: string; readonly message: string };
}

function liveChecks(live: Live, seen: Seen): readonly Check[] {
  return [
    { name: 'containerd-service', look: () => containerd(live) },
    { name: 'kubelet-service', look: () => kubelet(live) },
    { name: 'node-token', look: () => token(live, seen) },
    { name: 'node-ready', look: (inspection) => ready(live, inspection, seen) },
  ];
}

async function containerd({ host }: Live): Promise<readonly Finding[]> {
  const problem = await containerdProblem(host);
  return problem === undefined
    ? [ok('containerd responds')]
    : [error(problem, 'Check systemctl status containerd and journalctl -u containerd -n 50.')];
}

async function kubelet(live: Live): Promise<readonly Finding[]> {
  const [state, restarts] = await Promise.all([
    unitState(live.host, 'kubelet.service'),
    restartsOf(live.host, 'kubelet.service'),
  ]);
  const remedy = 'Check systemctl status kubelet and journalctl -u kubelet -n 100.';
  if (!state.active) return [error('the kubelet is not running', remedy)];
  if (!(await kubeletHealthy(live)))
    return [error('the kubelet is running but not healthy', remedy, '127.0.0.1:10248')];
  if (restarts > 0) return [warning(`the kubelet is healthy, but was restarted ${restarts} times`, remedy)];
  return [ok('the kubelet is healthy')];
}

async function token(live: Live, seen: Seen): Promise<readonly Finding[]> {
  try {
    const mine = await live.nodeToken(live);
    const who = await live.cluster.whoAmI(
      clusterAddress(live.facts),
      { kind: 'token', token: mine },
      live.signal,
    );
    return [ok(`the API server authenticates this machine as ${who.username}`)];
  } catch (failure) {
    if (live.signal.aborted) throw failure;
    rethrowProgramError(failure);
    const told = codeOf(failure);
    const remedy = 'Check azcmagent show and systemctl status himdsd.';
    // It is then not why the node does not work.
    if (await usesNodeCertificate(live.host, live.config, live.world))
      return [
        warning(`${withoutAddresses(told.message)}; the node authenticates with its certificate`, remedy),
      ];
    seen.failure = told;
    return [error(withoutAddresses(told.message), remedy)];
  }
}

async function ready(live: Live, { config }: Inspection, seen: Seen): Promise<readonly Finding[]> {
  const target = config.agent.nodeName;
  try {
    const node = await nodeFacts(live);
    seen.node = node ?? null;
    if (node === undefined)
      return [error('the Node does not exist', 'Check the journal of the kubelet.', target)];
    if (node.ready) return [ok(`the Node is Ready (${node.kubeletVersion ?? 'version unknown'})`, target)];
    return [
      error(
        `the Node is not Ready: ${node.reason ?? ''} ${node.message ?? ''}`.trim(),
        `Run kubectl describe node ${target}.`,
        target,
      ),
    ];
  } catch (failure) {
    if (live.signal.aborted) throw failure;
    rethrowProgramError(failure);
    const told = codeOf(failure);
    seen.failure ??= told;
    return [
      error(
        withoutAddresses(told.message),
        'Resolve the other findings first: the Node cannot be read without an identity.',
        target,
      ),
    ];
  }
}

/** Reports are pasted into tickets. */
function withoutAddresses(text: string): string {
  return text.replaceAll(/https?:\/\//g, '');
}
