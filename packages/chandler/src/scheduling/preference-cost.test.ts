import { describe, expect, test } from 'vitest';
import { aPod, aPool, aType, cluster, type PodShape, pods, spreadOver, ZONE } from './cluster.fixture.ts';
import type { SchedulingOptions } from './model.ts';
import { Planner, solve } from './solve.ts';

const FAMILY = 'example.com/family';
const ofFamily = (family: string) => [{ key: FAMILY, operator: 'In', values: [family] }];
/** Types of family `large` cost half more for the same size. */
const types = [1, 2, 4, 8, 16].flatMap((cpu) =>
  ['plain', 'large'].map((family) =>
    aType(`${family}-${cpu}`, {
      cpu,
      memoryGi: cpu * 4,
      requirements: ofFamily(family),
      price: cpu * (family === 'large' ? 0.06 : 0.04),
    }),
  ),
);

const prefersLarge: PodShape = {
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: ofFamily('large') } },
      ],
    },
  },
};

/** Services of 8 pods, from 100m to 1 core; all prefer the dear family. */
const services = Array.from({ length: 10 }, (_, index) =>
  pods(8, `service-${index}`, { cpu: `${100 * (index + 1)}m`, ...prefersLarge }),
).flat();

function inputOf(list: ReturnType<typeof pods>, options: Partial<SchedulingOptions>) {
  return cluster({
    pools: [aPool('default', { types })],
    pods: list,
    wellKnownLabels: [FAMILY],
    options,
  });
}
const plan = (list: ReturnType<typeof pods>, options: Partial<SchedulingOptions>) =>
  solve(inputOf(list, options));

describe('the cost of preferences', () => {
  test('is stated on request: the price, the price without them and the difference', () => {
    const respected = plan(services, { statePreferenceCost: true });
    const ignored = plan(services, { preferencePolicy: 'Ignore' });
    expect(respected.preferenceCost).toEqual({
      withoutPerHour: ignored.pricePerHour,
      costPerHour: respected.pricePerHour - ignored.pricePerHour,
      ignoredPods: 0,
    });
    expect(respected.preferenceCost!.costPerHour).toBeGreaterThan(0.4 * ignored.pricePerHour);
  });

  test('does not change the plan', () => {
    const { preferenceCost: _, ...stated } = plan(services, { statePreferenceCost: true });
    expect(stated).toEqual(plan(services, {}));
  });

  test('is not stated otherwise, nor for pods without preferences, nor when they are ignored', () => {
    expect(plan(services, {})).not.toHaveProperty('preferenceCost');
    const plain = pods(3, 'plain', { cpu: '1' });
    expect(plan(plain, { statePreferenceCost: true })).not.toHaveProperty('preferenceCost');
    const ignoring = { statePreferenceCost: true, preferencePolicy: 'Ignore' } as const;
    expect(plan(services, ignoring)).not.toHaveProperty('preferenceCost');
  });
});

describe('a limit on the cost of preferences', () => {
  const without = plan(services, { preferencePolicy: 'Ignore' }).pricePerHour;

  test('that is not exceeded leaves the plan as it is', () => {
    const { preferenceCost, ...limited } = plan(services, { maxPreferenceCost: 60 });
    expect(limited).toEqual(plan(services, {}));
    expect(preferenceCost).toMatchObject({ ignoredPods: 0 });
  });

  test('of nothing gives a plan that costs no more than without preferences', () => {
    const { pricePerHour, counts, preferenceCost } = plan(services, { maxPreferenceCost: 0 });
    expect(pricePerHour).toBeLessThanOrEqual(without * (1 + 1e-9));
    expect(counts.refused).toBe(0);
    expect(preferenceCost!.ignoredPods).toBeGreaterThan(0);
  });

  test.each([5, 10, 25])('of %d percent keeps some preferences, and the price within it', (percent) => {
    const { pricePerHour, counts, preferenceCost } = plan(services, { maxPreferenceCost: percent });
    expect(pricePerHour).toBeLessThanOrEqual(without * (1 + percent / 100) * (1 + 1e-9));
    expect(pricePerHour).toBeGreaterThan(without);
    expect(counts.refused).toBe(0);
    expect(preferenceCost!.ignoredPods).toBeGreaterThan(0);
    expect(preferenceCost!.ignoredPods).toBeLessThan(services.length);
  });

  test('of more keeps the preferences of more pods', () => {
    const ignored = [0, 10, 30, 60].map(
      (maxPreferenceCost) => plan(services, { maxPreferenceCost }).preferenceCost!.ignoredPods,
    );
    expect(ignored).toEqual([...ignored].sort((one, other) => other - one));
    expect(ignored.at(-1)).toBe(0);
  });

  test('gives the same plan with a planner that has planned before', () => {
    const planner = new Planner();
    const input = inputOf(services, { maxPreferenceCost: 10 });
    planner.plan(inputOf(pods(5, 'other', { cpu: '1', ...prefersLarge }), { maxPreferenceCost: 10 }));
    expect(planner.plan(input)).toEqual(solve(input));
    expect(planner.plan(input)).toEqual(solve(input));
  });

  test('reports invalid input once', () => {
    const bad = aPod('bad', { cpu: 'lots' });
    const { inputErrors, refusals } = plan([...services, bad], { maxPreferenceCost: 0 });
    const plain = plan([...services, bad], {});
    expect(inputErrors).toEqual(plain.inputErrors);
    expect(refusals).toEqual(plain.refusals);
  });

  test('does not touch hard constraints', () => {
    const hard = pods(6, 'web', spreadOver(ZONE, 'web'));
    const { claims } = plan(hard, { maxPreferenceCost: 0 });
    expect(claims).toHaveLength(3);
  });
});

describe('pods named in withoutPreferences', () => {
  test('are planned without their preferences, other pods with them', () => {
    const [one, other] = pods(2, 'web', { cpu: '16', ...prefersLarge });
    const input = { ...inputOf([one!, other!], {}), withoutPreferences: ['shop/web-001'] };
    const { claims } = solve(input);
    const typeOf = (name: string) =>
      claims.find(({ pods: names }) => names.includes(name))?.cheapest.instanceType;
    expect(typeOf('shop/web-001')).toBe('plain-16');
    expect(typeOf('shop/web-002')).toBe('large-16');
  });
});
