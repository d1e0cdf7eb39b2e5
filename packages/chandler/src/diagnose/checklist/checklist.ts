/**
 * Walks the steps of a checklist that a cloud brings, each with what was found. What is broken comes from the same causes
 * as every other answer.
 */
import { redacted } from '../../causes/index.ts';
import type { Checklist } from '../../cloud/index.ts';

import { backgroundFacts, filledCommand } from '../background-facts.ts';
import { findingsOf } from '../findings.ts';
import { type ChecklistRequest, gatherForChecklist } from './gather-checklist.ts';

export interface ChecklistStep {
  readonly number: number;
  readonly title: string;
  readonly state: 'ok' | 'broken' | 'unknown' | 'notReached';
  /** What was found, a sentence each. */
  readonly found: readonly string[];
  /** What to do, where it is broken. */
  readonly fix: string | undefined;
  /** How to check it by hand. */
  readonly byHand: readonly string[];
}

/** The steps, without secrets. */
export async function walkChecklist(
  checklist: Checklist,
  request: ChecklistRequest,
): Promise<readonly ChecklistStep[]> {
  const { cloud } = request;
  const evidence = await gatherForChecklist(checklist.name, request);
  const findings = findingsOf(cloud, evidence);
  const facts = backgroundFacts(cloud, evidence);
  const rows = await checklist.steps(evidence);
  const steps = rows.map(({ title, covers, result, byHand: commands }, index): ChecklistStep => {
    const byHand = commands.map((command) => filledCommand(cloud, command, facts));
    const broken = findings.find(
      ({ id, point, weight }) => weight === 'broken' && covers.some((each) => matches(each, id, point)),
    );
    if (broken !== undefined)
      return {
        number: index + 1,
        title,
        state: 'broken',
        found: [`${broken.title} [${broken.id}]: ${broken.summary}`, ...result.found],
        fix: broken.fix,
        byHand,
      };
    return { number: index + 1, title, ...result, fix: undefined, byHand };
  });
  return redacted(steps);
}

export function checklistText({ title: heading }: Checklist, steps: readonly ChecklistStep[]): string {
  const lines = steps.flatMap(({ number, title, state, found, fix, byHand }) => [
    `${String(number).padStart(2)}. ${title}: ${WORDS[state]}`,
    ...found.map((text) => `      ${text}`),
    ...(fix === undefined ? [] : [`      fix: ${fix}`]),
    ...(state === 'unknown' ? byHand.map((command) => `      by hand: ${command}`) : []),
  ]);
  return `${heading}\n\n${lines.join('\n')}\n`;
}

export function checklistJson({ name }: Checklist, steps: readonly ChecklistStep[]): object {
  return { checklist: name, steps };
}

// ---------------------------------------------------------------------------------------------------

const WORDS: Readonly<Record<ChecklistStep['state'], string>> = {
  ok: 'ok',
  broken: 'BROKEN',
  unknown: 'unknown',
  notReached: 'not reached',
};

/** `L1` means all failure points of its layer; any other value is the ID of a cause. */
function matches(covered: string, id: string, point: string | undefined): boolean {
  const own = point ?? id;
  return id === covered || own === covered || id.startsWith(`${covered}.`) || own.startsWith(`${covered}.`);
}
