/** `chandler why --checklist byok`: the twelve steps, each walked by itself and printed with its finding. */
import { byokChecklist, checklistJson, checklistText } from '../../diagnose/index.ts';
import { EXIT_OK } from '../verb.ts';
import { PLANNER_WORLD } from './planner-world.ts';
import type { WhyRequest } from './question.ts';
import { cataloguePlanner } from './sizes.ts';
import type { OpenSource } from './source.ts';

export async function answerChecklist(request: WhyRequest, source: OpenSource): Promise<number> {
  const reader = source.reader();
  const steps = await byokChecklist({
    reader,
    azure: source.azure,
    planner: cataloguePlanner(PLANNER_WORLD, reader),
  });
  const { terminal, json } = request;
  terminal.out(json ? `${JSON.stringify(checklistJson(steps), null, 2)}\n` : checklistText(steps));
  return steps.some(({ state }) => state === 'broken') ? request.failCode : EXIT_OK;
}
