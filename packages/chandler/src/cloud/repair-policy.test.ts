import { describe, expect, test } from 'vitest';
import type { RepairPolicy } from './cloud.ts';
import { repairPolicyProblems } from './repair-policy.ts';

const FALLBACK: RepairPolicy = {
  conditionType: 'Ready',
  conditionStatus: 'False',
  tolerationMs: 600_000,
  action: 'ReplaceNode',
  fallback: true,
};
const REBOOT: RepairPolicy = {
  conditionType: 'KernelDeadlock',
  conditionStatus: 'True',
  reasonRegex: '^Docker.*$',
  tolerationMs: 30_000,
  terminationGracePeriodMs: 60_000,
  priority: 100,
  action: 'RebootNode',
};

describe('the check of repair policies at the start', () => {
  test('takes none, one fallback, and a fallback with others', () => {
    expect(repairPolicyProblems([])).toEqual([]);
    expect(repairPolicyProblems([FALLBACK])).toEqual([]);
    expect(repairPolicyProblems([FALLBACK, REBOOT])).toEqual([]);
  });

  test.each<[string, readonly RepairPolicy[]]>([
    ['no fallback', [REBOOT]],
    ['two fallbacks', [FALLBACK, FALLBACK]],
    ['a fallback with a regex', [{ ...FALLBACK, reasonRegex: 'x' }]],
    ['a fallback that reboots', [{ ...FALLBACK, action: 'RebootNode' }]],
    ['an empty condition type', [FALLBACK, { ...REBOOT, conditionType: '' }]],
    ['an unknown status', [FALLBACK, { ...REBOOT, conditionStatus: 'Maybe' as never }]],
    ['an unknown action', [FALLBACK, { ...REBOOT, action: 'Sing' as never }]],
    ['a negative toleration', [FALLBACK, { ...REBOOT, tolerationMs: -1 }]],
    ['a negative grace period', [FALLBACK, { ...REBOOT, terminationGracePeriodMs: -1 }]],
    ['a priority below 0', [FALLBACK, { ...REBOOT, priority: -1 }]],
    ['a priority above 100', [FALLBACK, { ...REBOOT, priority: 101 }]],
    ['a regex that cannot be read', [FALLBACK, { ...REBOOT, reasonRegex: '(' }]],
  ])('refuses %s', (_, policies) => {
    expect(repairPolicyProblems(policies)).toHaveLength(1);
  });
});
