/**
 * Goes for all the evidence about one object, layer by layer, and only for what bears on it: the claim that a pod waits
 * for and not its neighbours, the pool that would take it and not one for other pods. What a verdict is worth depends on
 * that. What is read, from where and what not, stands in the ledger.
 */
import type { KubeObject } from '@chandler/kube';
import type { EvidenceSet } from '../../causes/index.ts';
import type { ObjectReader } from '../reader/reader.ts';
import { type Subject, subjectText } from '../subject.ts';
import type { Ask } from './ask.ts';
import type { AzureEye, ClusterAt } from './azure-eye.ts';
import { findSubject } from './find-subject.ts';
import { followKept, goneClaim, keptClaim } from './gone-claim.ts';
import { Ledger } from './ledger.ts';
import type { Planner } from './planner.ts';
import { gatherClaim, gatherNode } from './ways/claim-way.ts';
import { gatherPod } from './ways/pod-way.ts';
import { gatherPool } from './ways/pool-way.ts';
import type { Way } from './ways/way.ts';

export interface GatherOptions {
  readonly reader: ObjectReader;
  readonly azure?: AzureEye | undefined;
  readonly planner?: Planner | undefined;
  /** The asker says that nodes are to have disks with a key of their own. */
  readonly expectsDiskEncryptionSet?: boolean;
  /** Where the managed cluster is, when the controller's options do not tell. */
  readonly cluster?: ClusterAt | undefined;
  /** For pods without one. Default `default`. */
  readonly namespace?: string;
}

export type Gathered =
  | { readonly state: 'gathered'; readonly subject: Subject; readonly evidence: EvidenceSet }
  | { readonly state: 'missing' | 'ambiguous' | 'unreadable'; readonly message: string };

export async function gather(asked: Subject, options: GatherOptions): Promise<Gathered> {
  const { reader } = options;
  const ledger = new Ledger(reader.from, reader.atMs);
  const ask: Ask = { reader, ledger, azure: options.azure, planner: options.planner };
  const found = await findSubject(reader, asked, options.namespace ?? 'default');
  if (found.state !== 'found')
    return (
      (asked.kind === 'nodeclaim' && found.state === 'missing' ? await whatIsLeft(ask, asked) : undefined) ??
      found
    );
  const { subject, object } = found;
  ledger.add({
    kind: 'question',
    reading: ledger.reading(subjectText(subject)),
    subject: subjectText(subject),
    expectsDiskEncryptionSet: options.expectsDiskEncryptionSet ?? false,
  });
  const way: Way = {
    ask,
    byok: options.expectsDiskEncryptionSet ?? false,
    cluster: options.cluster,
  };
  await GATHERERS[subject.kind](way, object);
  keepRead(ask);
  return { state: 'gathered', subject, evidence: ledger.evidence() };
}

// ---------------------------------------------------------------------------------------------------

/** Of a claim that is gone. */
async function whatIsLeft(ask: Ask, subject: Subject): Promise<Gathered | undefined> {
  const kept = await keptClaim(ask, subject.name);
  if (kept === undefined) {
    const left = await goneClaim(ask, subject);
    return left ? { state: 'gathered', subject, evidence: ask.ledger.evidence() } : undefined;
  }
  const then: Ask = { ...ask, ledger: new Ledger(ask.reader.from, kept.atMs), azure: undefined };
  await followKept(then, subject, kept);
  return { state: 'gathered', subject, evidence: then.ledger.evidence() };
}

const GATHERERS: Readonly<Record<Subject['kind'], (way: Way, object: KubeObject) => Promise<void>>> = {
  pod: gatherPod,
  nodeclaim: gatherClaim,
  node: gatherNode,
  nodepool: gatherPool,
};

/** What the maker of a dump read elsewhere, as far as it is about claims of this question. */
function keepRead({ reader, ledger }: Ask): void {
  const claims = new Set(
    ledger
      .evidence()
      .all('nodeClaim')
      .map(({ name }) => name),
  );
  for (const record of reader.kept.records) {
    if ('claim' in record && !claims.has(record.claim ?? '')) continue;
    ledger.add(record);
  }
  for (const { kind, what, ...unseen } of reader.kept.unread) ledger.missed(kind, what, unseen);
}
