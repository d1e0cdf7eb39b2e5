/** What a sequence needs and what it gives back. */
import type { KubeClient, ObjectKey, World } from '@chandler/kube';
import { Failure } from '../verb.ts';

export interface SequenceOptions {
  readonly client: KubeClient;
  readonly world: Pick<World, 'clock' | 'random'>;
  readonly signal: AbortSignal;
  /** Karpenter's Deployment. */
  readonly karpenter: ObjectKey;
  /** Chandler's Deployment. */
  readonly chandler: ObjectKey;
  /** The lease that both use. */
  readonly lease: ObjectKey;
  /** Default: as many as it has; of those that were stopped, as many as Karpenter had. */
  readonly chandlerReplicas?: number | undefined;
  /** To go back to. Default: as recorded. */
  readonly karpenterReplicas?: number | undefined;
  /** For each thing that is waited for. */
  readonly timeoutMs: number;
  /** How long no node may drift after Chandler leads. */
  readonly verifyMs: number;
  /** A line for each step. */
  report(line: string): void;
}

export interface Progress {
  readonly step: string;
  readonly seconds: number;
}

export interface SequenceResult {
  /** `unchanged`: Karpenter led, and nothing was to be handed back. */
  readonly outcome: 'takenOver' | 'handedBack' | 'unchanged';
  readonly steps: readonly Progress[];
}

/** Another run writes the record: this one stops, and leaves everything to it. */
export class Replaced extends Failure {
  constructor() {
    super(
      'another "chandler takeover" runs on this cluster and has taken this one over; nothing more was done here',
    );
  }
}
