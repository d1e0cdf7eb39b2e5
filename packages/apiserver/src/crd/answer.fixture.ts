/**
 * For tests: what a resource's strategy answers to a request, in the form in which the answers of a real API server
 * were recorded under `golden/`.
 */
import { readFileSync } from 'node:fs';
import type { KubeObject } from '@chandler/kube';
import { ApiError, type FieldError, fieldErrorBody } from '../errors.ts';
import type { RequestContext, Resource } from '../resource.ts';

export interface Answer {
  readonly code: number;
  readonly message?: string;
  readonly causes?: readonly string[];
  readonly object?: KubeObject;
  readonly warnings: readonly string[];
}

export interface AskOptions {
  readonly current?: KubeObject;
  readonly subresource?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export function ask(resource: Resource, body: unknown, options: AskOptions = {}): Answer {
  const warnings: string[] = [];
  const context = aContext(resource, options, warnings);
  const { strategy } = resource;
  try {
    const object = strategy.decode(structuredClone(body), context);
    const { current } = options;
    if (current === undefined) strategy.prepareForCreate(object, context);
    else strategy.prepareForUpdate(object, current, context);
    const errors =
      current === undefined
        ? strategy.validateCreate(object, context)
        : strategy.validateUpdate(object, current, context);
    if (errors.length > 0) return { code: 422, causes: causesOf(errors), warnings };
    return { code: current === undefined ? 201 : 200, object, warnings };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message, warnings };
  }
}

export function aContext(
  resource: Resource,
  options: AskOptions = {},
  warnings: string[] = [],
): RequestContext {
  return {
    resource,
    subresource: options.subresource,
    namespace: undefined,
    name: undefined,
    user: { username: 'someone', groups: [] },
    fieldManager: 'test',
    fieldValidation: options.fieldValidation ?? 'Warn',
    dryRun: false,
    now: '2026-01-01T00:00:00Z',
    warn: (text) => {
      warnings.push(text);
    },
    lookup: () => undefined,
    list: () => [],
  };
}

/** `reason|field|message`, sorted: the real server walks fields in random order. */
export function causesOf(errors: readonly FieldError[]): string[] {
  return normalised(errors.map((error) => `${error.reason}|${error.field}|${fieldErrorBody(error)}`));
}

/** Without what may differ: texts of evaluation errors, the escaping of values, how many were too many. */
export function normalised(causes: readonly string[]): string[] {
  return causes
    .map((cause) =>
      cause
        .replace(/\|(Invalid value: "[a-z]*"): [\s\S]*?(evaluating rule:|signature for rule:)/, '|$1: … $2')
        .replace(/compilation failed: [\s\S]*$/, 'compilation failed: …')
        .replace(/Too many: \d+:/, 'Too many:')
        .replace(/\\u003([ce])/g, (_, digit: string) => (digit === 'c' ? '<' : '>')),
    )
    .sort();
}

export function golden<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8')) as T;
}
