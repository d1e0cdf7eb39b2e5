/**
 * What a checker is given and what it may watch. Checkers read the truth of the servers and the traffic on the wires; they
 * know nothing of the inside of our processes. Each says what it holds to be wrong, and goes on.
 */
import type { Servers } from '../servers.ts';
import type { AzureChange, AzureTruth } from '../truth/azure-truth.ts';
import type { KubeTruth, TruthChange, TruthObject } from '../truth/kube-truth.ts';

/** `story`: faults and deeds. `calm`: none any more, but not all is done. `quiet`: all is done, nothing may happen. */
export type Phase = 'story' | 'calm' | 'quiet';

export interface View {
  readonly servers: Servers;
  readonly kube: KubeTruth;
  readonly azure: AzureTruth;
  readonly phase: Phase;
  /** Since when the faults are over (monotonic); undefined before. */
  readonly calmSinceMs: number | undefined;
  /** Whether processes stand for election. */
  readonly election: boolean;
  violated(check: string, what: string): void;
}

/** A request of one of our processes: as it leaves, or as it reaches the server. */
export interface Traffic {
  readonly process: string;
  readonly server: 'kube' | 'arm';
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Body | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every shape.
export type Body = any;

export interface Check {
  readonly name: string;
  onKube?(change: TruthChange): void;
  onAzure?(change: AzureChange): void;
  onSend?(traffic: Traffic): void;
  /** The truth is still as it was before. What is given back is told the status of the answer. */
  onArrival?(traffic: Traffic): ((status: number) => void) | undefined;
  /** The process has got an answer. */
  onAnswer?(traffic: Traffic, status: number, headers: Headers | undefined): void;
  /** Now and then, about once in a virtual second. */
  sometimes?(): void;
  /** The world has come to rest, or was given up on. */
  atRest?(): void;
  atEnd?(): void;
}

export type MakeCheck = (view: View) => Check;

export function isTrue(object: TruthObject, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}

export function conditionOf(
  object: TruthObject,
  type: string,
): { readonly status: string; readonly reason?: string; readonly message?: string } | undefined {
  return (object.status?.conditions ?? []).find((each: { type: string }) => each.type === type);
}

/** Its machine said that it cannot become a node, and is taken away; the claim is kept for a while, to be read. */
export function couldNotBootstrap(claim: TruthObject): boolean {
  return conditionOf(claim, 'CSEProvisioned')?.status === 'False' && !isTrue(claim, 'Registered');
}

export function isWrite({ method }: Pick<Traffic, 'method'>): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Leases and events are not about the cluster's state. */
export function isBesides({ path }: Pick<Traffic, 'path'>): boolean {
  return /\/leases(?:\/|$)/.test(path) || /\/events(?:\/|$)/.test(path);
}

/** Asking for tokens and querying the graph change nothing. */
export function changesAzure({ method, path }: Pick<Traffic, 'method' | 'path'>): boolean {
  return isWrite({ method }) && !/\/oauth2\/|\/Microsoft\.ResourceGraph\//i.test(path);
}

export function nodePoolOf(object: TruthObject): string {
  return object.metadata.labels?.['karpenter.sh/nodepool'] ?? '';
}

/** `500m` as 0.5. */
export function cores(amount: string | number | undefined): number {
  const text = String(amount ?? '0');
  return text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text);
}

export function cpuOfPod(pod: TruthObject): number {
  return (pod.spec.containers as { resources?: { requests?: { cpu?: string } } }[]).reduce(
    (sum, { resources }) => sum + cores(resources?.requests?.cpu),
    0,
  );
}

export function ownerKind(pod: TruthObject): string | undefined {
  return pod.metadata.ownerReferences?.[0]?.kind;
}
