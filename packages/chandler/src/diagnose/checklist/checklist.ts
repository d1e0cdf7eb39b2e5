/**
 * The twelve steps that one walks by hand when disks with a key of one's own do not come about, walked by themselves: each
 * with what was found. The steps are a table; what is broken comes from the same causes as every other answer.
 */
import { filled, findCauses } from '../../causes/index.ts';
import { backgroundFacts } from '../background-facts.ts';
import { ALL_CAUSES } from '../causes/index.ts';
import { type GatherByok, gatherByok } from './gather-byok.ts';
import { type ChecklistScene, STEPS, type StepState } from './steps.ts';

export interface ChecklistStep {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  /** What was found, a sentence each. */
  readonly found: readonly string[];
  /** What to do, where it is broken. */
  readonly fix: string | undefined;
  /** By hand: how one would look. */
  readonly byHand: readonly string[];
}

export async function byokChecklist(options: GatherByok): Promise<readonly ChecklistStep[]> {
  const { evidence, set } = await gatherByok(options);
  return walk({ evidence, findings: findCauses(ALL_CAUSES, evidence), set });
}

export function walk(scene: ChecklistScene): readonly ChecklistStep[] {
  const facts = backgroundFacts(scene.evidence);
  return STEPS.map(({ title, covers, look, byHand: commands }, index): ChecklistStep => {
    const byHand = commands.map((command) => filled(command, facts));
    const broken = scene.findings.find(
      ({ id, point, weight }) => weight === 'broken' && covers.some((each) => matches(each, id, point)),
    );
    const own = look(scene);
    if (broken !== undefined)
      return {
        number: index + 1,
        title,
        state: 'broken',
        found: [`${broken.title} [${broken.id}]: ${broken.summary}`, ...own.found],
        fix: broken.fix,
        byHand,
      };
    return { number: index + 1, title, ...own, fix: undefined, byHand };
  });
}

export function checklistText(steps: readonly ChecklistStep[]): string {
  const lines = steps.flatMap(({ number, title, state, found, fix, byHand }) => [
    `${String(number).padStart(2)}. ${title}: ${WORDS[state]}`,
    ...found.map((text) => `      ${text}`),
    ...(fix === undefined ? [] : [`      fix: ${fix}`]),
    ...(state === 'unknown' ? byHand.map((command) => `      by hand: ${command}`) : []),
  ]);
  return `Disks with a key of your own, in twelve steps\n\n${lines.join('\n')}\n`;
}

export function checklistJson(steps: readonly ChecklistStep[]): object {
  return { checklist: 'byok', steps };
}

// ---------------------------------------------------------------------------------------------------

const WORDS: Readonly<Record<StepState, string>> = {
  ok: 'ok',
  broken: 'BROKEN',
  unknown: 'unknown',
  notReached: 'not reached',
};

/** `L1` stands for all of its layer's points; anything else for the cause of that id. */
function matches(covered: string, id: string, point: string | undefined): boolean {
  const point1 = point ?? id;
  return (
    id === covered || point1 === covered || id.startsWith(`${covered}.`) || point1.startsWith(`${covered}.`)
  );
}
