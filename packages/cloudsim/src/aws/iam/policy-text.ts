/**
 * Policy documents as callers send them: JSON text that is read and checked, and refused in the words of IAM. What a document
 * allows is decided in policy.ts.
 */
import { type AwsError, awsError } from '../wire/errors.ts';
import { isKnownOperator, listOf, type PolicyDocument, type PolicyStatement } from './policy.ts';

/** Of an identity (no principal), of a role's trust (no resource), of a resource (both). */
export type PolicyKind = 'identity' | 'trust' | 'resource';

/** @throws {AwsError} `MalformedPolicyDocument`. */
export function parsePolicy(text: string, kind: PolicyKind): PolicyDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw malformed(kind === 'trust' ? 'This policy contains invalid Json' : 'Syntax errors in policy.');
  }
  if (!isObject(document)) throw malformed('Syntax errors in policy.');
  const { Version, Statement } = document as { Version?: unknown; Statement?: unknown };
  if (Version !== undefined && Version !== '2012-10-17' && Version !== '2008-10-17')
    throw malformed('The policy must contain a valid version string');
  const statements = Array.isArray(Statement) ? Statement : [Statement];
  if (Statement === undefined || statements.length === 0) throw malformed('Syntax errors in policy.');
  for (const statement of statements) checkStatement(statement, kind);
  return { ...document, Statement: statements as readonly PolicyStatement[] };
}

/** Without white space, which IAM does not count. */
export function sizeOf(text: string): number {
  return text.replace(/\s/g, '').length;
}

export function malformed(message: string): AwsError {
  return awsError('MalformedPolicyDocument', message);
}

// ---------------------------------------------------------------------------------------------------

function checkStatement(given: unknown, kind: PolicyKind): void {
  if (!isObject(given)) throw malformed('Syntax errors in policy.');
  const statement = given as Partial<PolicyStatement>;
  if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny')
    throw malformed('Syntax errors in policy.');
  if (statement.Action === undefined && statement.NotAction === undefined)
    throw malformed('Policy statement must contain actions.');
  for (const action of [...listOf(statement.Action), ...listOf(statement.NotAction)])
    if (action !== '*' && !/^[\w-]+:[\w*?]+$/.test(action))
      throw malformed('Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.');
  const hasResource = statement.Resource !== undefined || statement.NotResource !== undefined;
  if (kind === 'trust' && hasResource) throw malformed('Has prohibited field Resource');
  if (kind === 'identity' && !hasResource) throw malformed('Policy statement must contain resources.');
  if (kind === 'identity' && statement.Principal !== undefined)
    throw malformed('Policy document should not specify a principal.');
  if (kind !== 'identity' && statement.Principal === undefined)
    throw malformed('Missing required field Principal');
  for (const operator of Object.keys(statement.Condition ?? {}))
    if (!isKnownOperator(operator)) throw malformed(`Invalid Condition type : ${operator}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
