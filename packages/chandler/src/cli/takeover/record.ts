/**
 * What a takeover has done so far, as an annotation of Karpenter's Deployment: any run of any machine can go on from it, or go
 * back. It is written together with the replicas, so that the number to go back to is never lost.
 */
import type { Deployment, Stored } from '@chandler/kube';

export const RECORD_ANNOTATION = 'chandler.sh/takeover';

/** `starting`: on the way to Chandler. `returning`: on the way to Karpenter. */
export type Phase = 'starting' | 'takenOver' | 'returning';

export interface TakeoverRecord {
  readonly phase: Phase;
  /** Of the command that wrote it last: an older one that still runs sees that it was replaced, and stops. */
  readonly run: string;
  /** When Karpenter was stopped, by the clock of the cluster. */
  readonly since: string;
  /** Of Karpenter's Deployment before it was stopped. 0: it was stopped by something else, and they are not known. */
  readonly karpenterReplicas: number;
  /** Of Chandler's Deployment before. */
  readonly chandlerReplicas: number;
  /** Chandler ran with --observe before. */
  readonly observed: boolean;
}

/** Undefined where there is no record, or none that can be read. */
export function recordOf({ metadata }: Stored<Deployment>): TakeoverRecord | undefined {
  const text = metadata.annotations?.[RECORD_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(text) as Partial<TakeoverRecord> | null;
    if (read === null || !PHASES.includes(read.phase as Phase)) return undefined;
    const count = (value: unknown) =>
      Number.isInteger(value) && (value as number) >= 0 ? (value as number) : 0;
    return {
      phase: read.phase as Phase,
      run: String(read.run ?? ''),
      since: String(read.since ?? ''),
      karpenterReplicas: count(read.karpenterReplicas),
      chandlerReplicas: count(read.chandlerReplicas),
      observed: read.observed === true,
    };
  } catch {
    return undefined;
  }
}

/**
 * Whether the cluster still is as the record says. A takeover that was undone by hand, or by a rollback of Helm, leaves its record
 * behind, and so does a hand-over that ended when Karpenter ran again: the next takeover is a new one.
 */
export function holds(
  record: TakeoverRecord | undefined,
  now: { readonly karpenterReplicas: number; readonly chandlerLeads: boolean },
): boolean {
  if (record === undefined || now.karpenterReplicas > 0) return false;
  return record.phase !== 'takenOver' || now.chandlerLeads;
}

// ---------------------------------------------------------------------------------------------------

const PHASES: readonly Phase[] = ['starting', 'takenOver', 'returning'];
