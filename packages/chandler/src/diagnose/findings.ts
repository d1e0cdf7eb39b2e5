/** What the causes find in evidence, with the words of the cloud and what is known about the objects in the texts. */
import { KarpenterLabel } from '../api/index.ts';
import {
  type EvidenceSet,
  type Facts,
  type Finding,
  type FindingTexts,
  findCauses,
} from '../causes/index.ts';
import type { CloudDiagnosis } from '../cloud/index.ts';

import { backgroundFacts, filledCommand, filledFor } from './background-facts.ts';
import { causesOf } from './causes/index.ts';

/** In order: the first is the verdict. */
export function findingsOf(cloud: CloudDiagnosis, evidence: EvidenceSet): readonly Finding[] {
  return findCauses(causesOf(cloud), evidence, (texts) =>
    withFacts(cloud, ofNode(evidence, texts), backgroundFacts(cloud, evidence, texts.facts['claim'])),
  );
}

/**
 * The fix for a node without a NodeClaim: without the sentences that need one. A sentence that names one in brackets only
 * keeps its place, because it may be the condition of the next.
 */
export function fixWithoutClaim(fix: string): string {
  const plain = fix.replace(ASIDE_ON_CLAIMS, '');
  if (!OF_CLAIMS.test(plain)) return plain;
  const sentences = plain.replace(OR_REPLACE, '').match(/[^.]+(?:\.(?!\s|$)[^.]*)*\.?/g) ?? [];
  const own = sentences.map((sentence) => sentence.trim()).filter((sentence) => !OF_CLAIMS.test(sentence));
  return [...own, NOT_REPLACED].join(' ');
}

// ---------------------------------------------------------------------------------------------------

/**
 * A node without a NodeClaim is a machine of the user, or of a node group of the cloud: no controller of NodeClaims replaces
 * it, and the commands of the cloud for instances of NodeClaims do not find it.
 */
function ofNode(evidence: EvidenceSet, texts: FindingTexts): FindingTexts {
  const node = evidence.all('node').find(({ name }) => name === texts.facts['node']);
  const isKnown = !evidence.couldNotRead('nodeClaim');
  if (node === undefined || node.claim !== undefined || !isKnown || !OF_CLAIMS.test(texts.fix)) return texts;
  if (node.labels[KarpenterLabel.nodePool] !== undefined) return texts;
  return {
    ...texts,
    fix: fixWithoutClaim(texts.fix),
    confirm: texts.confirm.filter((command) => !OF_INSTANCE.test(command)),
  };
}

const OF_CLAIMS = /NodeClaim|node repair/i;
const ASIDE_ON_CLAIMS = /\s*\([^)]*NodeClaim[^)]*\)/g;
const OR_REPLACE = /,? or delete (?:the|its) NodeClaim[^.]*/;
const OF_INSTANCE = /\{show\w+\}|nodeclaim/i;
const NOT_REPLACED =
  'The node has no NodeClaim, so that nothing replaces it: check the machine itself and the journal of its kubelet (journalctl -u kubelet; on a flex node chandler-flexnode status). A node of a node group is replaced there.';

/** Fills facts that the text of a row names: those of the match, and from what is known about the object those that it lacks. */
function withFacts(cloud: CloudDiagnosis, texts: FindingTexts, background: Facts): FindingTexts {
  const facts = { ...background, ...texts.facts };
  return {
    title: filledFor(cloud, texts.title, facts),
    summary: filledFor(cloud, texts.summary, facts),
    fix: filledCommand(cloud, texts.fix, facts),
    confirm: texts.confirm.map((command) => filledCommand(cloud, command, facts)),
    facts,
  };
}
