/** `chandler why --checklist`: the steps of a checklist, each with what was found. */
import { escapeControls } from '../../causes/index.ts';
import { checklistJson, checklistText, walkChecklist } from '../../diagnose/index.ts';
import { EXIT_OK, Failure } from '../verb.ts';
import { PLANNER_WORLD } from './planner-world.ts';
import type { Question, WhyRequest } from './question.ts';
import { cataloguePlanner } from './sizes.ts';
import type { OpenSource } from './source.ts';

/** @throws {Failure} */
export async function answerChecklist(
  request: WhyRequest,
  { reader: open, cloud }: OpenSource,
  { name }: Extract<Question, { kind: 'checklist' }>,
): Promise<number> {
  const checklist = cloud.checklists.find((each) => each.name === name);
  if (checklist === undefined) throw new Failure(`--checklist: ${cloud.title} has no checklist ${name}`);
  const reader = open();
  const planner = cataloguePlanner(PLANNER_WORLD, reader, cloud);
  const steps = await walkChecklist(checklist, { cloud, reader, planner });
  const { terminal, json } = request;
  terminal.out(
    json
      ? `${JSON.stringify(checklistJson(checklist, steps), null, 2)}\n`
      : escapeControls(checklistText(checklist, steps)),
  );
  return steps.some(({ state }) => state === 'broken') ? request.failCode : EXIT_OK;
}
