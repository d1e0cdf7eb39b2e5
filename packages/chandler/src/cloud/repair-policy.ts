/**
 * The rules for repair policies, as Karpenter checks them at its start (v1.15, node/health/policy.go). A mistake of a
 * provider is found before it repairs a node.
 */
import type { RepairPolicy } from './cloud.ts';

export const MAX_REPAIR_PRIORITY = 100;

/** What is wrong, one sentence each; none when all is well. A cloud without policies repairs nothing, and that is fine. */
export function repairPolicyProblems(policies: readonly RepairPolicy[]): readonly string[] {
  if (policies.length === 0) return [];
  const problems = policies.flatMap((policy, index) =>
    problemsOf(policy).map((problem) => `repair policy ${index} (${policy.conditionType}): ${problem}`),
  );
  const fallbacks = policies.filter(({ fallback }) => fallback === true).length;
  if (fallbacks !== 1) problems.push(`exactly one repair policy must be the fallback, not ${fallbacks}`);
  return problems;
}

// ---------------------------------------------------------------------------------------------------

const STATUSES: readonly string[] = ['True', 'False', 'Unknown'];
const ACTIONS: readonly string[] = ['ReplaceNode', 'RebootNode'];

function problemsOf(policy: RepairPolicy): readonly string[] {
  const { reasonRegex, terminationGracePeriodMs = 0, priority = 0, fallback = false } = policy;
  const hasPriority = Number.isInteger(priority) && priority >= 0 && priority <= MAX_REPAIR_PRIORITY;
  return [
    ...(policy.conditionType === '' ? ['the condition type is empty'] : []),
    ...(STATUSES.includes(policy.conditionStatus) ? [] : [`the status ${policy.conditionStatus} is unknown`]),
    ...(policy.tolerationMs < 0 ? ['the toleration is negative'] : []),
    ...(terminationGracePeriodMs < 0 ? ['the termination grace period is negative'] : []),
    ...(hasPriority ? [] : [`the priority ${priority} is not between 0 and ${MAX_REPAIR_PRIORITY}`]),
    ...(ACTIONS.includes(policy.action) ? [] : [`the action ${policy.action} is unknown`]),
    ...(reasonRegex === undefined || isRegex(reasonRegex) ? [] : [`the regex ${reasonRegex} is invalid`]),
    ...(fallback && (reasonRegex !== undefined || policy.action !== 'ReplaceNode')
      ? ['the fallback must have no regex and the action ReplaceNode']
      : []),
  ];
}

function isRegex(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
