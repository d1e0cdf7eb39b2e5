/**
 * The interface of a checker. Checkers read the state of the servers and the traffic between the parts; they
 * do not read the state of the controller processes. A checker reports a violation and continues.
 */

import type { ResourceRef } from '@chandler/kube';
import type { CloudStory } from '../cloud-story.ts';
import type { CloudChange, CloudState } from '../server-state/cloud-state.ts';
import type { DisruptionMarks, Mark } from '../server-state/disruption-marks.ts';
import type { KubeState, ObservedChange, ObservedObject } from '../server-state/kube-state.ts';
import type { Servers } from '../servers.ts';

/** `story`: faults and actions. `calm`: no more faults, but unfinished work. `quiet`: converged, nothing may happen. */
export type Phase = 'story' | 'calm' | 'quiet';

export interface View {
  readonly nodeClasses: ResourceRef;
  readonly story: CloudStory;
  readonly servers: Servers;
  readonly kube: KubeState;
  readonly cloud: CloudState;
  readonly marks: DisruptionMarks;
  /** For how long a process may be unaware of a change, with the faults of now. */
  readonly unseenMs: number;
  readonly phase: Phase;
  /** When the faults ended (monotonic); undefined before. */
  readonly calmSinceMs: number | undefined;
  /** Whether leader election is enabled. */
  readonly election: boolean;
  violated(check: string, what: string): void;
}

/** A request of a controller process, when it is sent or when it reaches the server. */
export interface Traffic {
  readonly process: string;
  readonly server: 'kube' | 'cloud';
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Body | undefined;
  /** Whether it changes something. */
  readonly writes: boolean;
  /** Credentials are asked for. */
  readonly isSignIn: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every shape.
export type Body = any;

export interface Check {
  readonly name: string;
  onKube?(change: ObservedChange): void;
  onCloud?(change: CloudChange): void;
  /** A NodeClaim is marked for disruption. */
  onMark?(mark: Mark): void;
  onSend?(traffic: Traffic): void;
  /** Called before the server processes the request. The returned function gets the status of the response. */
  onArrival?(traffic: Traffic): ((status: number) => void) | undefined;
  /** The process received a response; `text` is its body, for errors about which a checker of the cloud asks. */
  onAnswer?(traffic: Traffic, status: number, headers: Headers | undefined, text?: string): void;
  /** A proxy ended a watch of the process. */
  onWatchCut?(process: string, url: string): void;
  /** About once per virtual second. */
  periodically?(): void;
  /** The cluster has converged, or the timeout has expired. */
  atRest?(): void;
  atEnd?(): void;
}

export type MakeCheck = (view: View) => Check;

export function isTrue(object: ObservedObject, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}

export function conditionOf(
  object: ObservedObject,
  type: string,
): { readonly status: string; readonly reason?: string; readonly message?: string } | undefined {
  return (object.status?.conditions ?? []).find((each: { type: string }) => each.type === type);
}

/** Its VM failed to bootstrap and is deleted; the claim is kept for some time as evidence. */
export function couldNotBootstrap(claim: ObservedObject): boolean {
  return conditionOf(claim, 'CSEProvisioned')?.status === 'False' && !isTrue(claim, 'Registered');
}

export function isWrite({ method }: Pick<Traffic, 'method'>): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Leases and events are not part of the cluster's state. */
export function isLeaseOrEvent({ path }: Pick<Traffic, 'path'>): boolean {
  return /\/leases(?:\/|$)/.test(path) || /\/events(?:\/|$)/.test(path);
}

export function nodePoolOf(object: ObservedObject): string {
  return object.metadata.labels?.['karpenter.sh/nodepool'] ?? '';
}

/** `500m` as 0.5. */
export function cores(amount: string | number | undefined): number {
  const text = String(amount ?? '0');
  return text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text);
}

export function cpuOfPod(pod: ObservedObject): number {
  return (pod.spec.containers as { resources?: { requests?: { cpu?: string } } }[]).reduce(
    (sum, { resources }) => sum + cores(resources?.requests?.cpu),
    0,
  );
}

export function ownerKind(pod: ObservedObject): string | undefined {
  return pod.metadata.ownerReferences?.[0]?.kind;
}
