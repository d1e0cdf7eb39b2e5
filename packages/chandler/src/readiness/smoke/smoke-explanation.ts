/** What `why` says of an object of a smoke test, in the form that reports print. */
import { type Explanation, explanationJson, explanationText, type Subject } from '../../diagnose/index.ts';
import type { SmokeWhy } from './smoke-result.ts';

export async function smokeWhy(
  { explain }: { explain(subject: Subject): Promise<Explanation | undefined> },
  subject: Subject,
): Promise<SmokeWhy | undefined> {
  const explanation = await explain(subject);
  if (explanation === undefined) return undefined;
  const { cause, verdict } = explanation;
  return {
    subject: explanation.subject,
    verdict,
    ...(cause === undefined
      ? {}
      : { cause: { id: cause.id, title: cause.title, summary: cause.summary, fix: cause.fix } }),
    text: explanationText(explanation),
    explanation: explanationJson(explanation),
  };
}
