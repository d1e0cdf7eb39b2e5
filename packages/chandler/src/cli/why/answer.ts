/** Answers one question of `chandler why` on the terminal. */
import { escapeControls } from '../../causes/index.ts';
import {
  type Explanation,
  explain,
  explanationJson,
  explanationText,
  gather,
  parseSubject,
  type Subject,
} from '../../diagnose/index.ts';
import { EXIT_FAILURE, EXIT_OK, Failure, UsageError } from '../verb.ts';
import { asFailure } from './as-failure.ts';
import { openSource } from './open-source.ts';
import { PLANNER_WORLD } from './planner-world.ts';
import type { WhyRequest } from './question.ts';
import { cataloguePlanner } from './sizes.ts';
import type { OpenSource } from './source.ts';
import { plannedStaying } from './staying.ts';

/** The interval at which a watched object is read again. */
const WATCH_MS = 2_000;

/** @throws {Failure} */
export async function answer(request: WhyRequest): Promise<number> {
  const subject = request.question.kind === 'object' ? subjectOf(request.question.words, request) : undefined;
  const source = await openSource(request);
  try {
    const { question } = request;
    if (question.kind === 'value') {
      const { answerValue } = await import('./value.ts');
      return await answerValue(request, source, question);
    }
    if (question.kind === 'checklist') {
      const { answerChecklist } = await import('./checklist.ts');
      return await answerChecklist(request, source, question);
    }
    return await (request.watch ? watched : once)(request, source, subject!);
  } catch (error) {
    throw await asFailure(error, 'dump' in request.source ? request.source.dump : undefined);
  } finally {
    await source.close();
  }
}

/** @throws {Failure} when there is no such object, or several, or it may not be read. */
export async function explained(
  request: WhyRequest,
  source: OpenSource,
  subject: Subject,
): Promise<Explanation> {
  const reader = source.reader();
  const gathered = await gather(subject, {
    reader,
    cloud: source.cloud,
    planner: cataloguePlanner(PLANNER_WORLD, reader, source.cloud),
    expectsCustomerKey: request.byok,
    ...(source.namespace === undefined ? {} : { namespace: source.namespace }),
  });
  if (gathered.state !== 'gathered') throw new Failure(gathered.message);
  const explanation = explain(gathered.subject, gathered.evidence, source.cloud);
  const options = gathered.evidence.first('options');
  // Without its options a plan may differ from what the controller does, and its events are better.
  const asksPlan =
    explanation.verdict === 'healthy' && (options !== undefined || explanation.staying.length === 0);
  const staying = asksPlan ? await plannedStaying(request, gathered.subject, options) : [];
  return staying.length === 0 ? explanation : { ...explanation, staying };
}

// ---------------------------------------------------------------------------------------------------

function subjectOf(words: readonly string[], { namespace }: WhyRequest): Subject {
  const subject = parseSubject(words, namespace);
  if (typeof subject === 'string') throw new UsageError([{ where: words[0] ?? 'why', message: subject }]);
  return subject;
}

async function once(request: WhyRequest, source: OpenSource, subject: Subject): Promise<number> {
  const explanation = await explained(request, source, subject);
  print(request, explanation);
  return explanation.verdict === 'broken' ? request.failCode : EXIT_OK;
}

/** Prints the answer whenever it changes; ends when the object is healthy, or when the signal is aborted. */
async function watched(request: WhyRequest, source: OpenSource, subject: Subject): Promise<number> {
  const { terminal, interrupted } = request;
  const { clock } = await request.world();
  let before = '';
  for (;;) {
    const explanation = await explained(request, source, subject).catch((error: unknown) => {
      if (interrupted.aborted) return undefined;
      // The object existed before: its deletion is the answer.
      if (error instanceof Failure && before !== '') {
        terminal.err(`chandler why: ${escapeControls(error.message)}\n`);
        return undefined;
      }
      throw error;
    });
    if (explanation === undefined) return interrupted.aborted ? EXIT_OK : EXIT_FAILURE;
    const now = gist(explanation);
    if (now !== before) {
      if (before !== '' && !request.json) terminal.out('\n');
      print(request, explanation);
      before = now;
    }
    if (explanation.verdict === 'healthy') return EXIT_OK;
    try {
      await clock.sleep(WATCH_MS, interrupted);
    } catch {
      return explanation.verdict === 'broken' ? request.failCode : EXIT_OK;
    }
  }
}

/** Two answers with the same key are equal; ages do not count. */
function gist({ verdict, layers, cause, also }: Explanation): string {
  return JSON.stringify([
    verdict,
    layers.map(({ state }) => state),
    cause?.id,
    cause?.summary.replace(/\d+ (?:s|min|minutes|h)\b/g, ''),
    also.map(({ id }) => id),
  ]);
}

function print({ terminal, json, verbose, watch }: WhyRequest, explanation: Explanation): void {
  if (json) {
    // One line each, where several follow each other.
    terminal.out(`${JSON.stringify(explanationJson(explanation), null, watch ? undefined : 2)}\n`);
  } else terminal.out(explanationText(explanation, { color: terminal.color, verbose }));
}
