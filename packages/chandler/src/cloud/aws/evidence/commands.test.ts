import { expect, test } from 'vitest';
import { AWS_REPAIR_POLICIES } from '../traits.ts';
import { COMMANDS } from './commands.ts';

test('answers name the time after which node repair replaces a node whose kubelet is silent', () => {
  const policy = AWS_REPAIR_POLICIES.find((each) => each.conditionStatus === 'Unknown');
  expect(COMMANDS.repairDelay).toBe(`${policy!.tolerationMs / 60_000} minutes`);
});
