/** Answers one question of `chandler why` on the terminal. */
import { CLEAR_LINE, escapeControls } from '../../causes/index.ts';
import {
  type Explanation,
  explain,
  explanationJson,
  explanationText,
  type NonDisruptionReason,
  nonDisruptionText,
  parseSubject,
  type Subject,
} from '../../diagnose/index.ts';
import { CHECKS_OF_CAUSES, checksLine } from '../../readiness/checks-of-causes.table.ts';
import { EXIT_FAILURE, EXIT_OK, Failure, type Terminal, UsageError } from '../verb.ts';
import { asFailure } from './as-failure.ts';
import { gatherSubject } from './gather-subject.ts';
import { openSource } from './open-source.ts';
import type { WhyRequest } from './question.ts';
import type { OpenSource } from './source.ts';
import { canPlanStaying, plannedStaying } from './staying.ts';

/** The interval at which a watched object is read again. */
const WATCH_MS = 2_000;

/** @throws {Failure} */
export async function answer(request: WhyRequest): Promise<number> {
  const subject = subjectOf(request);
  const source = await openSource(request, subject);
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

// ---------------------------------------------------------------------------------------------------

/** Undefined: the question is about the whole cluster. */
function subjectOf({ question, namespace }: WhyRequest): Subject | undefined {
  if (question.kind === 'checklist') return undefined;
  if (question.kind === 'value') return { kind: 'nodeclaim', name: question.nodeclaim };
  const { words } = question;
  const subject = parseSubject(words, namespace);
  if (typeof subject === 'string') throw new UsageError([{ where: words[0] ?? 'why', message: subject }]);
  return subject;
}

/** There is no such object, there are several, or it could not be read. */
class SubjectNotGathered extends Failure {
  readonly state: 'missing' | 'ambiguous' | 'unreadable';

  constructor(state: 'missing' | 'ambiguous' | 'unreadable', message: string) {
    super(message);
    this.state = state;
  }
}

interface Answer {
  readonly explanation: Explanation;
  /** Why it is not disrupted, if this takes a plan of the whole cluster. */
  readonly plan?: () => Promise<readonly NonDisruptionReason[]>;
}

/** @throws {SubjectNotGathered} */
async function explained(request: WhyRequest, source: OpenSource, subject: Subject): Promise<Answer> {
  const gathered = await gatherSubject(source, subject, request.byok);
  if (gathered.state !== 'gathered') throw new SubjectNotGathered(gathered.state, gathered.message);
  const explanation = explain(gathered.subject, gathered.evidence, source.cloud);
  const options = gathered.evidence.first('options');
  // Without its options a plan may differ from what the controller does, and its events are better.
  const asksPlan =
    explanation.verdict === 'healthy' &&
    (options !== undefined || explanation.staying.length === 0) &&
    canPlanStaying(request, gathered.subject);
  if (!asksPlan) return { explanation };
  return { explanation, plan: () => plannedStaying(request, gathered.subject, options) };
}

async function once(request: WhyRequest, source: OpenSource, subject: Subject): Promise<number> {
  const answer = await explained(request, source, subject);
  await print(request, answer);
  return answer.explanation.verdict === 'broken' ? request.failCode : EXIT_OK;
}

/**
 * Prints the answer whenever it changes; ends when the object is healthy or deleted, or when the signal is aborted. While
 * the object cannot be read, it tries again.
 */
async function watched(request: WhyRequest, source: OpenSource, subject: Subject): Promise<number> {
  const { terminal, interrupted } = request;
  const { clock } = await request.world();
  let before = '';
  let complaint = '';
  let code = EXIT_OK;
  for (;;) {
    const answer = await readAgain(request, source, subject);
    if (answer === undefined) return EXIT_OK;
    if (answer instanceof SubjectNotGathered) {
      if (before === '') throw answer;
      if (answer.message !== complaint) terminal.err(`chandler why: ${escapeControls(answer.message)}\n`);
      // The object existed before: its deletion is the answer.
      if (answer.state !== 'unreadable') return EXIT_FAILURE;
      complaint = answer.message;
    } else {
      complaint = '';
      before = await printIfChanged(request, answer, before);
      const { verdict } = answer.explanation;
      if (verdict === 'healthy') return EXIT_OK;
      code = verdict === 'broken' ? request.failCode : EXIT_OK;
    }
    try {
      await clock.sleep(WATCH_MS, interrupted);
    } catch {
      return code;
    }
  }
}

/** Undefined: interrupted. */
async function readAgain(
  request: WhyRequest,
  source: OpenSource,
  subject: Subject,
): Promise<Answer | SubjectNotGathered | undefined> {
  try {
    return await explained(request, source, subject);
  } catch (error) {
    if (request.interrupted.aborted) return undefined;
    if (error instanceof SubjectNotGathered) return error;
    if (error instanceof Failure) throw error;
    // The API server or a credential plugin failed: it is asked again.
    const failure = await asFailure(error);
    if (!(failure instanceof Failure)) throw error;
    return new SubjectNotGathered('unreadable', failure.message);
  }
}

/** @returns the key of the answer. */
async function printIfChanged(request: WhyRequest, answer: Answer, before: string): Promise<string> {
  const now = gist(answer.explanation);
  if (now === before) return now;
  if (before !== '' && !request.json) request.terminal.out('\n');
  await print(request, answer);
  return now;
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

const PROGRESS = 'reading the whole cluster to find out why it is not disrupted …';

/** As text, the answer does not wait for the plan, which takes seconds in a large cluster. */
async function print(request: WhyRequest, { explanation, plan }: Answer): Promise<void> {
  const { terminal, json, verbose, watch } = request;
  const text = { color: terminal.color, verbose, width: terminal.columns };
  if (plan === undefined && !json) {
    terminal.out(`${explanationText(explanation, text)}${checksLine(explanation.cause?.id)}`);
    return;
  }
  if (!json) terminal.out(explanationText({ ...explanation, staying: [] }, text));
  const planned = plan === undefined ? [] : await withProgress(terminal, PROGRESS, plan);
  const staying = planned.length === 0 ? explanation.staying : planned;
  if (json) {
    // One line each, where several follow each other.
    const checks = CHECKS_OF_CAUSES[explanation.cause?.id ?? ''] ?? [];
    const data = { ...explanationJson({ ...explanation, staying }), checks };
    terminal.out(`${JSON.stringify(data, null, watch ? undefined : 2)}\n`);
  } else if (staying.length > 0) terminal.out(`\n${nonDisruptionText(staying)}`);
}

async function withProgress<T>(terminal: Terminal, text: string, work: () => Promise<T>): Promise<T> {
  if (terminal.interactive !== true) return work();
  terminal.err(text);
  try {
    return await work();
  } finally {
    terminal.err(CLEAR_LINE);
  }
}
