/** Collects the evidence of a machine whose Node does not become Ready: journals, states, versions. Read-only; never fails. */
import { rethrowProgramError, type World, withoutSecrets } from '@chandler/kube';
import type { NodeFacts } from '../azure/cluster-client.ts';
import type { FlexConfig } from '../config/config.ts';
import type { LogExcerpt } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { containerdProblem } from '../kubelet/live.ts';
import { usesNodeCertificate } from '../kubelet/node-certificate.ts';
import { KUBELET_BINARY } from '../kubelet/paths.ts';
import { restartsOf } from '../kubelet/systemd.ts';
import { printedVersion } from '../kubelet/version.ts';
import type { Facts } from '../step.ts';
import type { FlexEvidence, LogSource } from './evidence.ts';

export interface GatherOptions {
  readonly world: Pick<World, 'clock'>;
  readonly host: Host;
  readonly config: FlexConfig;
  readonly facts: Pick<Facts, 'get'>;
  /** Only lines from here on. */
  readonly sinceMs?: number;
  readonly node?: NodeFacts | null;
  readonly failure?: { readonly code: string; readonly message: string };
}

export async function gatherEvidence(options: GatherOptions): Promise<FlexEvidence> {
  const { world, host, config, facts, sinceMs, node, failure } = options;
  const [
    kubelet,
    containerd,
    swap,
    selinux,
    version,
    restarts,
    arcStatus,
    usesCertificate,
    containerdStable,
  ] = await Promise.all([
    journalOf(host, 'kubelet', sinceMs),
    journalOf(host, 'containerd', sinceMs),
    textOf(host, '/proc/swaps'),
    textOf(host, '/sys/fs/selinux/enforce'),
    output(host, [KUBELET_BINARY, '--version']),
    restartsOf(host, 'kubelet.service'),
    arcStatusOf(host),
    usesNodeCertificate(host, config, world),
    isContainerdStable(host),
  ]);
  const installed = printedVersion(version);
  const server = facts.get('cluster.serverVersion');
  return {
    nodeName: config.agent.nodeName,
    cluster: clusterOf(config, facts),
    logs: { kubelet, containerd },
    ...(node === undefined ? {} : { node }),
    ...(failure === undefined ? {} : { failure: { ...failure, message: withoutSecrets(failure.message) } }),
    versions: {
      ...(installed === undefined ? {} : { kubelet: installed }),
      ...(server === undefined ? {} : { server }),
    },
    ...(arcStatus === undefined ? {} : { arcStatus }),
    usesCertificate,
    containerdStable,
    swapOn: swap.trim().split('\n').length > 1,
    selinux: selinux === '' ? 'disabled' : selinux.trim() === '1' ? 'enforcing' : 'permissive',
    restarts,
  };
}

/** The last lines of each journal, as an error carries them. */
export function excerptsOf({ logs }: FlexEvidence): readonly LogExcerpt[] {
  return (Object.keys(EXCERPT_LINES) as LogSource[]).flatMap((source) => {
    const lines = logs[source].split('\n').filter((line) => line.trim() !== '');
    if (lines.length === 0) return [];
    const from = `journal of ${source}.service`;
    return [{ from, lines: lines.slice(-EXCERPT_LINES[source]).map((line) => line.slice(0, LINE_LENGTH)) }];
  });
}

/** `Connected`, `Disconnected`, `Expired`; nothing where there is no agent. */
export async function arcStatusOf(host: Host): Promise<string | undefined> {
  const text = await output(host, ['azcmagent', 'show', '-j']);
  return /"(?:agent ?)?status"\s*:\s*"(\w{1,40})"/i.exec(text)?.[1];
}

// ---------------------------------------------------------------------------------------------------

const EXCERPT_LINES: Readonly<Record<LogSource, number>> = { kubelet: 15, containerd: 8 };
const LINE_LENGTH = 500;
const JOURNAL_LINES = 300;

async function isContainerdStable(host: Host): Promise<boolean> {
  try {
    const restarts = await restartsOf(host, 'containerd.service');
    return restarts === 0 && (await containerdProblem(host)) === undefined;
  } catch (error) {
    rethrowProgramError(error);
    return false;
  }
}

function clusterOf(config: FlexConfig, facts: Pick<Facts, 'get'>): NonNullable<FlexEvidence['cluster']> {
  const { name, resourceGroup: group } = config.azure.targetCluster;
  const server = facts.get('cluster.server');
  return {
    name,
    group,
    ...(server !== undefined && URL.canParse(server) ? { host: new URL(server).hostname } : {}),
  };
}

async function journalOf(host: Host, unit: LogSource, sinceMs: number | undefined): Promise<string> {
  const since = sinceMs === undefined ? [] : [`--since=@${Math.floor(sinceMs / 1000)}`];
  const text = await output(host, [
    'journalctl',
    '-u',
    unit,
    '-n',
    String(JOURNAL_LINES),
    '--no-pager',
    '-o',
    'short-iso',
    ...since,
  ]);
  return withoutSecrets(text);
}

async function output(host: Host, argv: readonly [string, ...string[]]): Promise<string> {
  const result = await host.run({ argv, changes: false, timeoutMs: 15_000 });
  return result.exitCode === 0 ? result.stdout : '';
}

async function textOf(host: Host, path: string): Promise<string> {
  try {
    return Buffer.from((await host.readFile(path)) ?? []).toString('utf8');
  } catch (error) {
    rethrowProgramError(error);
    return '';
  }
}
