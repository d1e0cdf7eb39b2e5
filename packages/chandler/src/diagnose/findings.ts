/** What the causes find in evidence, with the words of the cloud and what is known about the objects in the texts. */
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
    withFacts(cloud, texts, backgroundFacts(cloud, evidence, texts.facts['claim'])),
  );
}

// ---------------------------------------------------------------------------------------------------

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
