import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aNode,
  aPod,
  aPool,
  aType,
  awayFrom,
  cluster,
  HOST,
  near,
  oneOf,
  pods,
  spreadOver,
  ZONE,
  ZONES,
} from './cluster.fixture.ts';
import { compiling } from './engine/compiled.ts';
import { Kept } from './engine/kept.ts';
import { placePods, repackPods } from './engine/pod-placement.ts';
import { Run } from './engine/run.ts';
import type { Plan } from './plan.ts';
import { NO_PODS } from './shapes/named-pods.ts';
import { solve } from './solve.ts';
import { finish } from './steps.ts';

/** Prices per core differ by proportion; many sizes, so that a full machine leaves others to choose from. */
const types = ['lean', 'even', 'rich'].flatMap((family, index) =>
  [2, 4, 8, 16, 32, 48, 64].map((cpu) =>
    aType(`${family}-${cpu}`, {
      cpu,
      memoryGi: cpu * [2, 4, 8][index]!,
      price: cpu * [0.04, 0.05, 0.07][index]!,
    }),
  ),
);
const pools = [aPool('default', { types })];
const mixed = [
  ...pods(60, 'heavy', { cpu: '1', memory: '7Gi' }),
  ...pods(60, 'light', { cpu: '1500m', memory: '2Gi' }),
  ...pods(30, 'web', { cpu: '700m', memory: '2Gi', ...spreadOver(ZONE, 'web') }),
];

const OFF = { improveEffort: 0 };

function namesOf(plan: Plan): string[] {
  return [...plan.claims, ...plan.placements].flatMap((place) => place.pods).sort();
}

describe('improving the price', () => {
  test('another sum of the same prices is no lower price', () => {
    const sizes = [2, 4, 8, 16, 32].map((cpu) =>
      aType(`m5-${cpu}`, { cpu, memoryGi: cpu * 4, price: cpu * 0.048 }),
    );
    const spread = pods(12, 'web', { cpu: '1500m', memory: '2Gi', ...spreadOver(ZONE, 'web') });
    const input = { pools: [aPool('p', { types: sizes })], pods: spread };
    const first = solve({ ...input, options: OFF });
    const plan = solve(input);
    expect(plan.pricePerHour).toBeCloseTo(first.pricePerHour, 9);
    expect(plan.claims.length).toBe(first.claims.length);
  });

  test('places the same pods at a lower price, unless it is disabled', () => {
    const plain = solve({ pools, pods: mixed, options: OFF });
    const better = solve({ pools, pods: mixed });
    expect(better.pricePerHour).toBeLessThan(plain.pricePerHour * 0.97);
    expect(namesOf(better)).toEqual(namesOf(plain));
    expect(better.counts).toMatchObject({ placed: 150, refused: 0, podClasses: 3 });
    expect(better.counts.attempts).toBeGreaterThan(plain.counts.attempts);
    expect(solve({ pools, pods: mixed, options: { improveEffort: 1 } })).toEqual(better);
  });

  test('is not misled by volumes as long as nodes can attach them all', () => {
    const limited = types.map((type) => {
      const disks = 2 * Number(type.capacity['cpu']);
      return { ...type, volumeAttachmentLimits: { 'disk.example.com': disks } };
    });
    const sets = Array.from({ length: 40 }, (_, set) =>
      pods(4, `set-${set}`, {
        cpu: `${Math.round(250 * 1.07 ** set)}m`,
        memory: `${Math.round(250 * 1.07 ** set * (2 + ((set * 7) % 12) / 2))}Mi`,
      }),
    ).flat();
    const named = sets.map(({ metadata }) => metadata.name!);
    const volumes = {
      claims: named.map((name) => ({ metadata: { namespace: 'shop', name }, spec: { volumeName: name } })),
      volumes: named.map((name, index) => ({
        metadata: { name },
        spec: {
          csi: { driver: 'disk.example.com', volumeHandle: name },
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [oneOf(ZONE, ZONES[index % 3]!)] }] },
          },
        },
      })),
    };
    const mounting = sets.map((pod) => {
      const volume = { name: 'data', persistentVolumeClaim: { claimName: pod.metadata.name! } };
      return { ...pod, spec: { ...pod.spec, volumes: [volume] } };
    });
    const price = (list: typeof types) =>
      solve({ pools: [aPool('default', { types: list })], pods: mounting, volumes }).pricePerHour;
    expect(price(limited)).toBeLessThanOrEqual(price(types) * 1.001);
  });

  test('is skipped for very many kinds of pods', () => {
    const kinds = Array.from({ length: 1_100 }, (_, kind) => aPod(`p${kind}`, { cpu: `${200 + kind}m` }));
    const plain = solve({ pools, pods: kinds, options: OFF });
    expect(solve({ pools, pods: kinds })).toEqual(plain);
    expect(solve({ pools, pods: kinds.slice(0, 300) }).pricePerHour).toBeLessThan(
      solve({ pools, pods: kinds.slice(0, 300), options: OFF }).pricePerHour,
    );
  });

  test('stops when the budget is exhausted', () => {
    const compiled = finish(compiling({ pools, pods: mixed }, new Kept()));
    const queue = compiled.queue.with(NO_PODS);
    const first = new Run(compiled, queue, [], 1);
    placePods(first);
    first.undo();
    const repack = (left: number) => {
      const run = new Run(compiled, queue, [], 1);
      const filled = repackPods(run, first, 0.3, { left });
      run.undo();
      return filled;
    };
    expect(repack(100)).toBe(false);
    expect(repack(1_000_000)).toBe(true);
  });

  test('keeps several types on spot capacity', () => {
    const better = solve({ pools, pods: mixed, options: { improveEffort: 2 } });
    for (const claim of better.claims) expect(claim.instanceTypes.length).toBeGreaterThanOrEqual(1);
    const plain = solve({ pools, pods: mixed, options: OFF });
    const few = Math.min(...plain.claims.map((claim) => claim.instanceTypes.length), 15);
    expect(Math.min(...better.claims.map((claim) => claim.instanceTypes.length))).toBeGreaterThanOrEqual(few);
  });

  test('respects spread, affinity and anti-affinity, and keeps pods on existing nodes', () => {
    const list = [
      ...mixed,
      ...pods(4, 'db', { cpu: '2', labels: { app: 'db' }, ...awayFrom(HOST, 'db') }),
      ...pods(3, 'cache', { cpu: '500m', labels: { app: 'cache' }, ...near(HOST, 'cache') }),
      ...pods(2, 'port', { hostPort: 80 }),
    ];
    const input = cluster({ pools, nodes: [aNode('n')], pods: list });
    const plain = solve({ ...input, options: OFF });
    const better = solve({ ...input, options: { improveEffort: 1 } });
    expect(better.placements).toEqual(plain.placements);
    const hosts = better.claims.map((claim) => claim.pods);
    expect(
      Math.max(...hosts.map((host) => host.filter((pod) => pod.includes('/db-')).length)),
    ).toBeLessThanOrEqual(1);
    expect(hosts.filter((host) => host.some((pod) => pod.includes('/cache-')))).toHaveLength(
      plain.claims.filter((claim) => claim.pods.some((pod) => pod.includes('/cache-'))).length,
    );
  });

  test('never raises the price and never drops a pod', () => {
    const shape = fc.record({
      cpu: fc.integer({ min: 1, max: 60 }),
      memory: fc.integer({ min: 1, max: 80 }),
      count: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom('plain', 'zone', 'apart'),
    });
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 6 }), (shapes) => {
        const list = shapes.flatMap(({ cpu, memory, count, kind }, index) => {
          const app = `a${index}`;
          const rule = {
            plain: {},
            zone: spreadOver(ZONE, app),
            apart: { labels: { app }, ...awayFrom(HOST, app) },
          }[kind];
          return pods(count, app, { cpu: `${cpu * 100}m`, memory: `${memory * 100}Mi`, ...rule });
        });
        const plain = solve({ pools, pods: list, options: OFF });
        const better = solve({ pools, pods: list, options: { improveEffort: 1 } });
        expect(better.pricePerHour).toBeLessThanOrEqual(plain.pricePerHour);
        expect(better.counts.placed).toBe(plain.counts.placed);
      }),
      { numRuns: 40 },
    );
  });

  test('is skipped with minValues or reservations', () => {
    const requirements = [
      { key: 'node.kubernetes.io/instance-type', operator: 'Exists' as const, minValues: 2 },
    ];
    const input = { pools: [aPool('p', { types, requirements })], pods: [...mixed, aPod('x')] };
    expect(solve(input)).toEqual(solve({ ...input, options: OFF }));
  });
});
