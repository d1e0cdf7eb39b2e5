/**
 * The row of a cause: how it is recognised, what it means, what helps. Rows are data and small predicates over
 * evidence; the texts may name facts of the match as `{fact}`. Owners keep their rows in tables; which row explains a
 * failure best, `match.ts` decides.
 */
import type { ContainerEvidence } from './container-evidence.ts';
import type { EvidenceSet } from './evidence-set.ts';
import type { Layer } from './layers.ts';
import type { Read } from './reading.ts';

/**
 * `exact`: names the thing that has to change. `particular`: names the part that fails. `general`: says that this layer
 * is broken and no more, and gives way to any that says more, of this layer or of one before. The more exact one comes
 * first.
 */
export type Specificity = 'exact' | 'particular' | 'general';

/** `broken`: it explains why the subject is not well. `suspicious`: it should be looked at, and may be harmless. */
export type Weight = 'broken' | 'suspicious';

export interface Cause {
  /** `L4.2` for the failure points of the seven layers, else words: `registration.token-expired`. Never reused. */
  readonly id: string;
  readonly layer: Layer;
  readonly specificity: Specificity;
  /** A short name, without facts. */
  readonly title: string;
  /** The symptom, for the documentation. */
  readonly symptom: string;
  /** What happened, one or two sentences. */
  readonly summary: string;
  /** What to do. */
  readonly fix: string;
  /** Commands that confirm it. */
  readonly confirm: readonly string[];
  /** The first match, or nothing. Must not throw and must not look at anything but the evidence. */
  readonly recognise: (evidence: EvidenceSet) => Match | undefined;
  /** The failure point of the seven layers that it is a case of (`L7.1`); its own id for the points themselves. */
  readonly point?: string;
  /** Causes that, when found, make this one redundant. */
  readonly explainedBy?: readonly string[];
  /** Causes that this one, when found, makes redundant: for tables that know the other ones. */
  readonly explains?: readonly string[];
  /** Reported even for a healthy object, for example when a disk is not encrypted with the requested key; or while it says so. */
  readonly evenIfWell?: true | ((evidence: EvidenceSet) => boolean);
  /** Of a layer before the node: it also breaks nodes that have registered, always or while it says so. */
  readonly breaksNodes?: true | ((evidence: EvidenceSet) => boolean);
  /** Of a node: it also makes containers fail that run there. That of all is a consequence, or of those that are meant. */
  readonly failsContainers?: true | ((container: ContainerEvidence) => boolean);
  /** Of a node: it keeps pods from it. That a pod is not well that is there already has another cause, always or while it says so. */
  readonly keepsPodsAway?: true | ((evidence: EvidenceSet) => boolean);
}

export interface Match {
  readonly weight?: Weight;
  /** Fill the texts. Where a text names a fact that is missing, the name of the fact stays. */
  readonly facts: Facts;
  /** What was seen, each with where. */
  readonly seen: readonly Seen[];
  /** Text in place of the row's own, where only the match knows it. */
  readonly title?: string;
  readonly summary?: string;
  readonly fix?: string;
  readonly confirm?: readonly string[];
  /** All containers that it explains, of which the facts name the first. */
  readonly containers?: readonly string[];
  /** The same of further containers. The first that no other row explains is reported. */
  readonly others?: readonly Match[];
  /** It comes after all else that is broken in its layer, of which it may be a consequence. */
  readonly comesLast?: true;
}

export type Facts = Readonly<Record<string, string>>;

export interface Seen {
  /** `NodeClaim default-x7k2p (kubernetes)`. */
  readonly where: string;
  readonly what: string;
  readonly atMs?: number;
  /** Nothing shows that it still goes on. */
  readonly isOver?: true;
}

export interface CauseTable {
  /** `kubernetes`, `azure errors`: for the documentation. */
  readonly name: string;
  /** One sentence about what is in it. */
  readonly about: string;
  readonly causes: readonly Cause[];
  /** Rows that are documented elsewhere: docs/causes.md lists them in one line each. */
  readonly brief?: (cause: Cause) => boolean;
}

/** Not `{{EC2PrivateDNSName}}`, which is a template of others. */
export const FACT = /(?<!\{)\{(\w+)\}(?!\})/g;

/** A text with its facts filled in. */
export function filled(text: string, facts: Facts): string {
  return text.replace(FACT, (whole, name: string) => facts[name] ?? whole);
}

/** Evidence as a reader would cite it. */
export function seen({ reading }: Read, what: string): Seen {
  return {
    where: `${reading.what} (${reading.from})`,
    what,
    atMs: reading.happenedAtMs ?? reading.atMs,
    ...(reading.isOver === true ? { isOver: true } : {}),
  };
}
