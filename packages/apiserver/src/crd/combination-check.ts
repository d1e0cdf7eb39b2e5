/**
 * `anyOf`, `oneOf`, `allOf` and `not`. When no alternative fits, the errors of the one that got furthest are
 * shown after the general one.
 */
import type { Correlated } from './correlate.ts';
import { Findings, found } from './findings.ts';
import type { JsonSchema } from './types.ts';

/** Checks one node; children that did not change since `before` are not reported. */
export type Check = (value: unknown, at: string, before: Correlated | undefined) => Findings;

/** `compileNode` makes the check of an alternative, which is a schema in full. */
export function combinationCheck(schema: JsonSchema, compileNode: (schema: JsonSchema) => Check): Check {
  const anyOf = (schema.anyOf ?? []).map(compileNode);
  const oneOf = (schema.oneOf ?? []).map(compileNode);
  const allOf = (schema.allOf ?? []).map(compileNode);
  const not = schema.not === undefined ? undefined : compileNode(schema.not);
  return (value, at, before) => {
    const findings = new Findings();
    if (anyOf.length > 0) checkAny(anyOf, value, at, before, findings);
    if (oneOf.length > 0) checkOne(oneOf, value, at, before, findings);
    if (allOf.length > 0) checkAll(allOf, value, at, before, findings);
    if (not?.(value, at, before).valid) {
      findings.add(found.general(`${JSON.stringify(at)} must not validate the schema (not)`));
    }
    findings.matches++;
    return findings;
  };
}

// ---------------------------------------------------------------------------------------------------

function checkAny(
  checks: readonly Check[],
  value: unknown,
  at: string,
  before: Correlated | undefined,
  findings: Findings,
): void {
  let best: Findings | undefined;
  for (const check of checks) {
    const result = check(value, at, before);
    if (result.valid) {
      findings.merge(result);
      return;
    }
    if (best === undefined || result.matches > best.matches) best = result;
  }
  findings.add(found.general(`${JSON.stringify(at)} must validate at least one schema (anyOf)`));
  findings.merge(best!);
}

function checkOne(
  checks: readonly Check[],
  value: unknown,
  at: string,
  before: Correlated | undefined,
  findings: Findings,
): void {
  const results = checks.map((check) => check(value, at, before));
  const valid = results.filter((result) => result.valid);
  if (valid.length === 1) {
    findings.merge(valid[0]!);
    return;
  }
  const count = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  findings.add(
    found.general(`${JSON.stringify(at)} must validate one and only one schema (oneOf). ${count}`),
  );
  if (valid.length > 0) return;
  findings.merge(results.reduce((best, result) => (result.matches > best.matches ? result : best)));
}

function checkAll(
  checks: readonly Check[],
  value: unknown,
  at: string,
  before: Correlated | undefined,
  findings: Findings,
): void {
  let valid = 0;
  for (const check of checks) {
    const result = check(value, at, before);
    if (result.valid) valid++;
    findings.merge(result);
  }
  if (valid === checks.length) return;
  const none = valid === 0 ? '. None validated' : '';
  findings.add(found.general(`${JSON.stringify(at)} must validate all the schemas (allOf)${none}`));
}
