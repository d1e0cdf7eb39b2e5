import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { catalogue } from './catalogue.ts';
import { fieldWorkload } from './field-workload.ts';
import { GOLDEN_DIVERSE } from './golden.table.ts';
import {
  diverseWorkload,
  drawDiverse,
  drawLine,
  fakeTypes,
  preferenceWorkload,
} from './karpenter-workloads.ts';
import { priceShapes, priceWorkload } from './price-workload.ts';

describe("Karpenter's benchmark", () => {
  test.each(GOLDEN_DIVERSE)('$pods diverse pods are those that Go draws', (golden) => {
    const draws = drawDiverse(golden.pods);
    expect(createHash('sha256').update(draws.map(drawLine).join('\n')).digest('hex')).toBe(golden.sha256);
    expect(draws.reduce((sum, draw) => sum + draw.cpuMilli, 0)).toBe(golden.cpuMilli);
    expect(draws.reduce((sum, draw) => sum + draw.memoryMi, 0)).toBe(golden.memoryMi);
  });

  test('a draw becomes the pod that upstream builds from it', () => {
    const { input } = diverseWorkload(50);
    const spreading = input.pods[10]!;
    expect(spreading.metadata.labels).toMatchObject({ 'my-label': 'a' });
    expect(spreading.spec.topologySpreadConstraints).toEqual([
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { 'my-label': 'c' } },
      },
    ]);
    expect(spreading.spec.containers[0]!.resources!.requests).toEqual({ cpu: '100m', memory: '100Mi' });
    const apart = input.pods[49]!.spec.affinity!.podAntiAffinity!;
    expect(apart.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'nginx' } } },
    ]);
  });

  test('preference pods all have the size of the first draw', () => {
    const { pods } = preferenceWorkload(4_000).input;
    const requests = new Set(pods.map((pod) => JSON.stringify(pod.spec.containers[0]!.resources!.requests)));
    expect([...requests]).toEqual(['{"cpu":"100m","memory":"4096Mi"}']);
  });

  test('the fake types grow by one cpu, two GiB and ten pods at a steady price', () => {
    const types = fakeTypes(400);
    expect(types).toHaveLength(400);
    const fifth = types[4]!;
    expect(fifth.capacity).toEqual({ cpu: '5', memory: '10Gi', pods: '50' });
    expect(fifth.offerings).toHaveLength(5);
    expect(fifth.offerings[0]!.price).toBeCloseTo(5 * 0.3147483648, 9);
    expect(fifth.requirements.find((r) => r.key === 'special')).toMatchObject({ values: ['optional'] });
    expect(types[3]!.requirements.find((r) => r.key === 'special')!.operator).toBe('DoesNotExist');
  });
});

describe('our own workloads', () => {
  test('the catalogue has 700 types with six offerings each, all different and priced', () => {
    const types = catalogue().map((row) => row.type);
    expect(new Set(types.map((type) => type.name)).size).toBe(700);
    expect(types.every((type) => type.offerings.length === 6)).toBe(true);
    expect(types.every((type) => type.offerings.every((offering) => offering.price > 0))).toBe(true);
  });

  test('the price workload has 40 shapes: a fifth spreads, a twentieth is arm64, a tenth apart when asked', () => {
    const shapes = priceShapes(true);
    expect(shapes.filter((shape) => shape.spec!.topologySpreadConstraints !== undefined)).toHaveLength(8);
    expect(shapes.filter((shape) => shape.spec!.nodeSelector !== undefined)).toHaveLength(2);
    expect(shapes.filter((shape) => shape.spec!.affinity !== undefined)).toHaveLength(4);
    for (const { cpuMilli, memoryMi } of shapes) {
      expect(cpuMilli).toBeGreaterThanOrEqual(100);
      expect(cpuMilli).toBeLessThanOrEqual(8_000);
      expect(memoryMi / 1024 / (cpuMilli / 1000)).toBeGreaterThan(0.99);
      expect(memoryMi / 1024 / (cpuMilli / 1000)).toBeLessThan(8.01);
    }
    expect(priceShapes(false).every((shape) => shape.spec!.affinity === undefined)).toBe(true);
  });

  test('the field shape has the pods, nodes, pools and types it promises', () => {
    const { input, placeable } = fieldWorkload(40_000);
    expect(placeable).toBe(40_000);
    expect(input.pods).toHaveLength(42_000);
    expect(input.nodes).toHaveLength(1_000);
    expect(input.pools).toHaveLength(20);
    expect(input.boundPods!.length).toBeGreaterThan(5_000);
    const apps = new Set(input.pods.map((pod) => pod.metadata.labels!['app']));
    expect(apps.size).toBe(310);
    expect(new Set(input.pods.map((pod) => pod.metadata.uid)).size).toBe(42_000);
  });

  test('a workload is the same every time', () => {
    const bytes = () => JSON.stringify([fieldWorkload(400), priceWorkload(80, { hostAntiAffinity: true })]);
    expect(bytes()).toBe(bytes());
  });
});
