import { describe, expect, test } from 'vitest';
import { solve } from '../../packages/chandler/src/scheduling/index.ts';
import { checkPlan } from './plan-check.ts';
import { PREFERENCE_WORKLOADS } from './preference-workloads.ts';

const built = Object.fromEntries(
  await Promise.all(PREFERENCE_WORKLOADS.map(async ({ name, build }) => [name, await build()] as const)),
);

describe('workloads with preferences', () => {
  test.each(PREFERENCE_WORKLOADS)('$name has $pods pods, all of which can be placed', ({ name, pods }) => {
    const workload = built[name]!;
    expect(workload.input.pods).toHaveLength(pods);
    const plan = solve({ ...workload.input, options: { improveEffort: 0 } });
    expect(checkPlan(workload, plan)).not.toEqual([]);
  });

  test('300 services prefer an even spread over zones', () => {
    const { pods } = built['soft-zone-spread']!.input;
    expect(new Set(pods.map(({ metadata }) => metadata.labels!['app'])).size).toBe(300);
    const [spread] = pods[0]!.spec.topologySpreadConstraints!;
    expect(spread).toMatchObject({ whenUnsatisfiable: 'ScheduleAnyway' });
  });

  test('40 StatefulSets have a volume for each pod, over all zones', () => {
    const { pods, volumes } = built['zonal-volumes']!.input;
    expect(new Set(pods.map(({ metadata }) => metadata.labels!['app'])).size).toBe(40);
    expect(volumes!.volumes).toHaveLength(pods.length);
    const zones = volumes!.volumes!.map(({ spec }) => JSON.stringify(spec.nodeAffinity));
    expect(new Set(zones).size).toBe(3);
  });

  test('types have prices and limits on disks', () => {
    const types = built['zonal-volumes']!.input.catalogues!['bench']!;
    expect(types.length).toBeGreaterThan(300);
    expect(types.every(({ offerings }) => offerings.every(({ price }) => price < 200))).toBe(true);
    expect(types.some(({ volumeAttachmentLimits }) => volumeAttachmentLimits !== undefined)).toBe(true);
  });
});
