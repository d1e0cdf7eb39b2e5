import { describe, expect, test } from 'vitest';
import { type Plan, type PlannedClaim, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { diverseWorkload } from './karpenter-workloads.ts';
import { checkPlan } from './plan-check.ts';
import type { Workload } from './shapes.ts';

const workload = diverseWorkload(50);
const plan = solve(workload.input);

function withClaims(change: (claims: readonly PlannedClaim[]) => readonly PlannedClaim[]): Plan {
  const claims = change(plan.claims);
  return { ...plan, claims, pricePerHour: claims.reduce((sum, claim) => sum + claim.cheapest.price, 0) };
}

/** All pods of the plan on its first claim, whose types are given. */
function crowded(instanceTypes: readonly string[]): Plan {
  const [first] = plan.claims;
  const pods = plan.claims.flatMap((claim) => claim.pods);
  const cheapest = { ...first!.cheapest, instanceType: instanceTypes[0]! };
  return withClaims(() => [{ ...first!, pods, instanceTypes, cheapest }]);
}

describe('the check of a plan', () => {
  test('accepts a plan of the engine', () => {
    expect(checkPlan(workload, plan)).toContain('all 50 pods that can fit are placed');
  });

  test('detects a missing pod', () => {
    const dropped = withClaims(([first, ...rest]) => [{ ...first!, pods: first!.pods.slice(1) }, ...rest]);
    expect(() => checkPlan(workload, dropped)).toThrow('every pod is placed or refused, once');
  });

  test('detects a pod that was placed twice', () => {
    const twice = withClaims(([first, second, ...rest]) => [
      first!,
      { ...second!, pods: [...second!.pods, first!.pods[0]!] },
      ...rest,
    ]);
    expect(() => checkPlan(workload, twice)).toThrow('every pod is placed or refused, once');
  });

  test('detects refusals of pods that could have been placed', () => {
    const asked: Workload = { ...workload, placeable: 51 };
    expect(() => checkPlan(asked, plan)).toThrow('all 51 pods');
  });

  test('detects a claim with a type that is too small for its pods', () => {
    expect(() => checkPlan(workload, crowded(['fake-it-0']))).toThrow('holds more than it has');
  });

  test('detects a violated anti-affinity by host', () => {
    const priced = crowded(['fake-it-399']);
    const price = workload.input.catalogues!['bench']![399]!.offerings[0]!.price;
    const claims = priced.claims.map((claim) => ({ ...claim, cheapest: { ...claim.cheapest, price } }));
    expect(() => checkPlan(workload, { ...priced, claims, pricePerHour: price })).toThrow(
      'on different hosts',
    );
  });

  test('detects a price that no offering has', () => {
    const cheap = withClaims(([first, ...rest]) => [
      { ...first!, cheapest: { ...first!.cheapest, price: 0.01 } },
      ...rest,
    ]);
    expect(() => checkPlan(workload, cheap)).toThrow('the price of each claim');
  });
});
