/**
 * Collects the changes that one reconcile makes to a claim and writes them at the end: metadata first, then status,
 * each only if it differs, each with the resourceVersion that was read.
 */
import type { Stored } from '@chandler/kube';
import { type KubeClient, keyOfObject } from '@chandler/kube';
import {
  type Condition,
  ConditionSet,
  NODE_CLAIMS,
  type NodeClaim,
  replacing,
  sameJson,
} from '../../api/index.ts';

export type Claim = Stored<NodeClaim>;
export const CLAIMS = NODE_CLAIMS;

export class ClaimPatch {
  readonly conditions: ConditionSet;
  #claim: Claim;
  #labels: Record<string, string> = {};
  #annotations: Record<string, string | null> = {};
  #status: Partial<NonNullable<NodeClaim['status']>> = {};
  #afterWrite: (() => void)[] = [];

  constructor(claim: Claim, nowMs: number) {
    this.#claim = claim;
    this.conditions = ConditionSet.of('NodeClaim', claim as never, nowMs);
  }

  /** As read, or as returned by the last write. */
  get claim(): Claim {
    return this.#claim;
  }

  get name(): string {
    return this.#claim.metadata.name;
  }

  get providerID(): string {
    return this.#status.providerID ?? this.#claim.status?.providerID ?? '';
  }

  /** Labels after the write. */
  get labels(): Readonly<Record<string, string>> {
    return { ...this.#claim.metadata.labels, ...this.#labels };
  }

  get annotations(): Readonly<Record<string, string>> {
    const all = { ...this.#claim.metadata.annotations, ...this.#annotations };
    return Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  }

  setLabels(labels: Readonly<Record<string, string>>): void {
    Object.assign(this.#labels, labels);
  }

  /** null removes. */
  setAnnotations(annotations: Readonly<Record<string, string | null>>): void {
    Object.assign(this.#annotations, annotations);
  }

  setStatus(status: Partial<NonNullable<NodeClaim['status']>>): void {
    Object.assign(this.#status, status);
  }

  /** Called after the write. A write that fails reports nothing; the next reconcile finds the change again. */
  onceWritten(report: () => void): void {
    this.#afterWrite.push(report);
  }

  /** Returns whether anything was written. */
  async write(client: KubeClient): Promise<boolean> {
    const metadata = this.#metadataPatch();
    if (metadata !== undefined) {
      const patch = { metadata: { resourceVersion: this.#version(), ...metadata } };
      this.#claim = await client.patch(CLAIMS, keyOfObject(this.#claim), { type: 'merge', patch });
    }
    const status = this.#statusPatch();
    if (status !== undefined) {
      const patch = { metadata: { resourceVersion: this.#version() }, status };
      this.#claim = await client.patchStatus(CLAIMS, keyOfObject(this.#claim), { type: 'merge', patch });
    }
    for (const report of this.#afterWrite.splice(0)) report();
    return metadata !== undefined || status !== undefined;
  }

  #version(): string {
    return this.#claim.metadata.resourceVersion;
  }

  #metadataPatch(): object | undefined {
    const labels = differing(this.#labels, this.#claim.metadata.labels ?? {});
    const annotations = differing(this.#annotations, this.#claim.metadata.annotations ?? {});
    if (labels === undefined && annotations === undefined) return undefined;
    return {
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    };
  }

  #statusPatch(): object | undefined {
    const have = (this.#claim.status ?? {}) as Record<string, unknown>;
    const fields = Object.entries(this.#status)
      .filter(([name, value]) => !sameJson(value, have[name]))
      .map(([name, value]) => [name, replacing(value, have[name])] as const);
    const conditions: { conditions?: Condition[] } = this.conditions.modified
      ? { conditions: this.conditions.list() }
      : {};
    if (fields.length === 0 && conditions.conditions === undefined) return undefined;
    return { ...Object.fromEntries(fields), ...conditions };
  }
}

// ---------------------------------------------------------------------------------------------------

function differing(
  wanted: Readonly<Record<string, string | null>>,
  have: Readonly<Record<string, string>>,
): Record<string, string | null> | undefined {
  const changes = Object.entries(wanted).filter(([name, value]) => (have[name] ?? null) !== value);
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
