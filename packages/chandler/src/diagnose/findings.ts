/** What the causes find in evidence, with the words of the cloud and what is known about the objects in the texts. */
import { type EvidenceSet, type Facts, type Finding, findCauses } from '../causes/index.ts';
import type { CloudDiagnosis } from '../cloud/index.ts';

import { backgroundFacts, filledCommand, filledFor } from './background-facts.ts';
import { causesOf } from './causes/index.ts';

/** In order: the first is the verdict. */
export function findingsOf(cloud: CloudDiagnosis, evidence: EvidenceSet): readonly Finding[] {
  return findCauses(causesOf(cloud), evidence).map((finding) =>
    withFacts(cloud, finding, backgroundFacts(cloud, evidence, finding.facts['claim'])),
  );
}

// ---------------------------------------------------------------------------------------------------

/** Fills facts that the text of a row names and the match did not have, from what is known about the object. */
function withFacts(cloud: CloudDiagnosis, finding: Finding, background: Facts): Finding {
  const facts = { ...background, ...finding.facts };
  const fill = (text: string) => filledFor(cloud, text, facts);
  return {
    ...finding,
    title: fill(finding.title),
    summary: fill(finding.summary),
    fix: filledCommand(cloud, finding.fix, facts),
    confirm: finding.confirm.map((command) => filledCommand(cloud, command, facts)),
    facts,
  };
}
