/**
 * Reads the live state: whether containerd responds and the kubelet is healthy, and the Node, with the credential of the
 * node. Read-only.
 */
import { rethrowProgramError, type World } from '@chandler/kube';
import { challengeFilesOf } from '../azure/challenge-file.ts';
import type { ClusterAddress, ClusterClient, ClusterCredential, NodeFacts } from '../azure/cluster-client.ts';
import { PLACEHOLDER_TOKEN } from '../azure/dry-run-clients.ts';
import { himdsToken } from '../azure/himds.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { Facts } from '../step.ts';
import { clusterFacts } from './files.ts';
import { CONTAINERD_SOCKET, kubeletPaths } from './paths.ts';

/** A token of the machine's own identity, as the kubelet's helper would get it. */
export type NodeTokenSource = (live: Pick<Live, 'world' | 'host' | 'signal'>) => Promise<string>;

export interface Live {
  readonly world: World;
  readonly host: Host;
  readonly config: FlexConfig;
  readonly cluster: ClusterClient;
  readonly facts: Pick<Facts, 'get'>;
  readonly nodeToken: NodeTokenSource;
  readonly signal: AbortSignal;
}

export const arcToken: NodeTokenSource = async ({ world, host, signal }) =>
  (await himdsToken(world, { files: challengeFilesOf(host), signal })).token;

/** Caches the token for polling: the Arc agent writes a file for every request. */
export function rememberedToken(source: NodeTokenSource): NodeTokenSource {
  let last: { readonly token: string; readonly untilMs: number } | undefined;
  return async (live) => {
    const nowMs = live.world.clock.monotonic();
    if (last === undefined || nowMs >= last.untilMs)
      last = { token: await source(live), untilMs: nowMs + REMEMBERED_MS };
    return last.token;
  };
}

export const HEALTHZ_URL = 'http://127.0.0.1:10248/healthz';

/** Returns `undefined` if containerd responds, otherwise the problem. */
export async function containerdProblem(host: Host): Promise<string | undefined> {
  const active = await host.run({
    argv: ['systemctl', 'is-active', 'containerd.service'],
    changes: false,
    timeoutMs: 10_000,
  });
  if (active.exitCode !== 0) return `containerd is ${active.stdout.trim() || 'not running'}`;
  if ((await host.lstat(CONTAINERD_SOCKET)) === undefined) return `${CONTAINERD_SOCKET} does not exist`;
  const plugins = await ctr(host, 'plugins', 'ls');
  if (plugins.exitCode === 127) return undefined;
  if (plugins.exitCode !== 0) return `containerd does not respond: ${lastLineOf(plugins.stderr)}`;
  const rows = plugins.stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const cri = rows.find((row) => row[0] === 'io.containerd.grpc.v1' && row[1] === 'cri');
  if (cri === undefined) return 'the CRI plugin of containerd is disabled';
  const state = cri.at(-1);
  return state === 'ok' ? undefined : `the CRI plugin of containerd is in state ${state}`;
}

/** With the address of our socket; what only looks is marked so. */
export function ctr(host: Host, ...words: readonly string[]) {
  return host.run({
    argv: ['ctr', '--address', CONTAINERD_SOCKET, ...words],
    changes: false,
    timeoutMs: 15_000,
  });
}

/** Whether the kubelet says of itself that it is well. */
export async function kubeletHealthy({ world, signal }: Pick<Live, 'world' | 'signal'>): Promise<boolean> {
  return (await ask(world, HEALTHZ_URL, signal))?.ok === true;
}

export function clusterAddress(facts: Pick<Facts, 'get'>): ClusterAddress {
  const { server, caData } = clusterFacts(facts);
  return { server, caData };
}

/**
 * What the node itself would show to the API server: the Arc token, or, once it has one, its certificate.
 * `undefined`: with `tlsBootstrap`, there is no certificate yet.
 */
export async function nodeCredential(live: Live): Promise<ClusterCredential | undefined> {
  if (!live.config.security.tlsBootstrap) {
    const isDryRun = live.cluster.isDryRun === true;
    return { kind: 'token', token: isDryRun ? PLACEHOLDER_TOKEN : await live.nodeToken(live) };
  }
  const pem = await live.host.readFile(kubeletPaths(live.config).clientCertificate);
  return pem === undefined ? undefined : certificateOf(Buffer.from(pem).toString('utf8'));
}

/** Returns `undefined` if the Node does not exist, or if the machine has no credential yet. */
export async function nodeFacts(live: Live): Promise<NodeFacts | undefined> {
  const credential = await nodeCredential(live);
  if (credential === undefined) return undefined;
  return live.cluster.node(clusterAddress(live.facts), credential, live.config.agent.nodeName, live.signal);
}

/** Polls until there is a result; returns `undefined` on timeout. */
export async function waitFor<T>(
  { world, signal }: Pick<Live, 'world' | 'signal'>,
  time: { readonly withinMs: number; readonly everyMs: number },
  probe: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endMs = world.clock.monotonic() + time.withinMs;
  for (;;) {
    if (signal.aborted) throw signal.reason;
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (world.clock.monotonic() + time.everyMs > endMs) return undefined;
    await world.clock.sleep(time.everyMs, signal);
  }
}

/** A GET with a timeout; `undefined` if there is no response. */
export async function ask(
  world: World,
  url: string,
  signal: AbortSignal,
  options: { readonly withinMs?: number; readonly method?: string } = {},
): Promise<Response | undefined> {
  const stop = new AbortController();
  const timer = world.clock.after(options.withinMs ?? 5_000, () => stop.abort(new Error('timeout')));
  try {
    return await world.fetch(url, {
      method: options.method ?? 'GET',
      redirect: 'manual',
      signal: AbortSignal.any([signal, stop.signal]),
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!stop.signal.aborted) rethrowProgramError(error);
    return undefined;
  } finally {
    timer.cancel();
  }
}

/** Certificate and key, as the kubelet keeps them in one file. */
export function certificateOf(pem: string): ClusterCredential | undefined {
  const certificatePem = pem
    .match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g)
    ?.join('\n');
  const keyPem = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/.exec(pem)?.[0];
  if (certificatePem === undefined || keyPem === undefined) return undefined;
  return { kind: 'certificate', certificatePem, keyPem };
}

export function codeOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof FlexError) return { code: error.facts.code, message: error.facts.message };
  return { code: 'unknown', message: error instanceof Error ? error.message : String(error) };
}

// ---------------------------------------------------------------------------------------------------

const REMEMBERED_MS = 60_000;

function lastLineOf(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) || 'no response';
}
