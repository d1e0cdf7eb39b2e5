/**
 * What happens to fields that the server does not know or that were written twice: nothing, a warning each, or a
 * error, as fieldValidation says. Parsing and pruning find them.
 */
import { type ApiError, badRequest } from '../errors.ts';
import type { RequestContext } from '../resource.ts';

export interface StrictFindings {
  /** Ready-made errors of the parser: `duplicate field "spec.x"`. */
  readonly duplicates: readonly string[];
  /** Paths of unknown fields: `spec.foo`. */
  readonly unknown: readonly string[];
}

/** The object as the error names it; `version` is the one without the group. */
export interface StrictSubject {
  readonly kind: string;
  readonly version: string;
  /** The kind the request should hold; the object's own when absent. */
  readonly expectedKind?: string;
}

/** Throws, warns or stays silent. Call it once per request, with everything that was found. */
export function enforceFieldValidation(
  findings: StrictFindings,
  subject: StrictSubject,
  context: Pick<RequestContext, 'fieldValidation' | 'warn'>,
): void {
  if (context.fieldValidation === 'Ignore') return;
  if (findings.duplicates.length === 0 && findings.unknown.length === 0) return;
  const problems = strictMessages(findings);
  if (context.fieldValidation === 'Strict') throw strictDecodingError(subject, problems);
  for (const problem of problems) context.warn(problem);
}

/** One text per finding; duplicates first, as they were seen first. */
export function strictMessages(findings: StrictFindings): string[] {
  return [...findings.duplicates, ...findings.unknown.map((path) => `unknown field "${path}"`)];
}

export function strictDecodingError(subject: StrictSubject, problems: readonly string[]): ApiError {
  return cannotBeHandled(subject, `strict decoding error: ${problems.join(', ')}`);
}

/** The 400 for an object that was recognised but cannot be read. */
export function cannotBeHandled(subject: StrictSubject, why: string): ApiError {
  const expected = subject.expectedKind ?? subject.kind;
  return badRequest(
    `${subject.kind} in version "${subject.version}" cannot be handled as a ${expected}: ${why}`,
  );
}
