import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InstanceType, Pod, PodSpec, SchedulingInput, VolumeFacts } from '../model.ts';
import { solve } from '../solve.ts';
import { aPod, aPool } from './bound.fixture.ts';
import { priceBound } from './price-bound.ts';

const ZONE = 'topology.kubernetes.io/zone';
const DRIVER = 'disk.example.com';
const ZONES = ['zone-a', 'zone-b', 'zone-c'];

const isIn = (key: string, ...values: string[]) => ({ key, operator: 'In', values });

/** @param prices by zone; a zone without a price does not have the type. */
function typeOf(name: string, cpu: number, prices: Record<string, number>, disks?: number): InstanceType {
  return {
    name,
    requirements: [isIn('node.kubernetes.io/instance-type', name)],
    capacity: { cpu: `${cpu}`, memory: '64Gi', pods: '110' },
    offerings: Object.entries(prices).map(([zone, price]) => ({
      requirements: [isIn(ZONE, zone), isIn('karpenter.sh/capacity-type', 'on-demand')],
      price,
    })),
    ...(disks === undefined ? {} : { volumeAttachmentLimits: { [DRIVER]: disks } }),
  };
}

interface Group {
  readonly count: number;
  readonly cpu: number;
  readonly maxSkew: number | null;
  /** Where the volume of each of its pods is; null: the pods have none. */
  readonly volumeIn: readonly (string | null)[];
}

const spreadOf = (app: string, maxSkew: number) => ({
  maxSkew,
  topologyKey: ZONE,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app } },
});

function podsOf(group: Group, app: string): Pod[] {
  return Array.from({ length: group.count }, (_, index) => {
    const spec: Partial<PodSpec> = {
      ...(group.maxSkew === null ? {} : { topologySpreadConstraints: [spreadOf(app, group.maxSkew)] }),
      ...(volumeZone(group, index) === null
        ? {}
        : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `${app}-${index}` } }] }),
    };
    const pod = aPod(`${app}-${index}`, { cpu: `${group.cpu}` }, spec);
    return { ...pod, metadata: { ...pod.metadata, labels: { app } } };
  });
}

const volumeZone = ({ volumeIn }: Group, index: number) => volumeIn[index % volumeIn.length] ?? null;

function volumesOf(groups: readonly Group[]): VolumeFacts {
  const named = groups.flatMap((group, at) =>
    Array.from({ length: group.count }, (_, index) => ({
      name: `app-${at}-${index}`,
      zone: volumeZone(group, index),
    })).filter(({ zone }) => zone !== null),
  );
  return {
    claims: named.map(({ name }) => ({
      metadata: { name, namespace: 'default' },
      spec: { volumeName: name },
    })),
    volumes: named.map(({ name, zone }) => ({
      metadata: { name },
      spec: {
        csi: { driver: DRIVER, volumeHandle: name },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isIn(ZONE, zone!)] }] } },
      },
    })) as VolumeFacts['volumes'] & object,
  };
}

interface Small {
  readonly groups: readonly Group[];
  readonly types: readonly {
    readonly cpu: number;
    readonly prices: Record<string, number>;
    readonly disks: number | null;
  }[];
  readonly free: readonly { readonly cpu: number; readonly zone: string }[];
}

function inputOf({ groups, types, free }: Small): SchedulingInput {
  return {
    pools: [
      aPool(
        'default',
        types.map(({ cpu, prices, disks }, index) => typeOf(`t-${index}`, cpu, prices, disks ?? undefined)),
      ),
    ],
    pods: groups.flatMap((group, index) => podsOf(group, `app-${index}`)),
    nodes: free.map(({ cpu, zone }, index) => ({
      name: `n-${index}`,
      labels: { 'kubernetes.io/hostname': `n-${index}`, [ZONE]: zone },
      allocatable: { cpu: `${cpu}`, memory: '64Gi', pods: '110' },
    })),
    volumes: volumesOf(groups),
  };
}

const bound = async (small: Small) => (await priceBound(inputOf(small))).perHour;
const free: Small['free'] = [];

describe('the bound', () => {
  test('pays for the zone of a volume', async () => {
    const types = [{ cpu: 4, prices: { 'zone-a': 1, 'zone-b': 3 }, disks: null }];
    const group = { count: 2, cpu: 2, maxSkew: null };
    expect(await bound({ groups: [{ ...group, volumeIn: [null] }], types, free })).toBeCloseTo(1, 6);
    expect(await bound({ groups: [{ ...group, volumeIn: ['zone-b'] }], types, free })).toBeCloseTo(3, 6);
  });

  test('pays for nodes that can attach the volumes', async () => {
    const types = [{ cpu: 16, prices: { 'zone-a': 1 }, disks: 2 }];
    const groups = [{ count: 8, cpu: 1, maxSkew: null, volumeIn: ['zone-a'] }];
    expect(await bound({ groups, types, free })).toBeCloseTo(4, 6);
    expect(await bound({ groups, types: [{ ...types[0]!, disks: null }], free })).toBeCloseTo(0.5, 6);
  });

  test('does not use free capacity for volumes in another zone', async () => {
    const types = [{ cpu: 4, prices: { 'zone-a': 1, 'zone-b': 1 }, disks: null }];
    const groups = [{ count: 1, cpu: 4, maxSkew: null, volumeIn: ['zone-b'] }];
    expect(await bound({ groups, types, free: [{ cpu: 4, zone: 'zone-a' }] })).toBeCloseTo(1, 6);
    expect(await bound({ groups, types, free: [{ cpu: 4, zone: 'zone-b' }] })).toBe(0);
  });

  test('has pods with a hard spread in every zone', async () => {
    const types = [{ cpu: 2, prices: { 'zone-a': 1, 'zone-b': 3 }, disks: null }];
    const group = { count: 5, cpu: 2, volumeIn: [null] };
    expect(await bound({ groups: [{ ...group, maxSkew: null }], types, free })).toBeCloseTo(5, 6);
    // Two in each zone, the fifth where it is cheapest.
    expect(await bound({ groups: [{ ...group, maxSkew: 1 }], types, free })).toBeCloseTo(3 + 6, 6);
    // At most three more in the cheap zone: 4 and 1.
    expect(await bound({ groups: [{ ...group, maxSkew: 3 }], types, free })).toBeCloseTo(4 + 3, 6);
  });

  test('leaves a spread aside that counts other pods, pending or bound', async () => {
    const types = [typeOf('t', 2, { 'zone-a': 1, 'zone-b': 3 })];
    const pods = podsOf({ count: 4, cpu: 2, maxSkew: 1, volumeIn: [null] }, 'web');
    const other = { ...aPod('other', { cpu: '2' }), metadata: { ...pods[0]!.metadata, name: 'other' } };
    const input = { pools: [aPool('default', types)], pods };
    expect((await priceBound(input)).perHour).toBeCloseTo(8, 6);
    expect((await priceBound({ ...input, pods: [...pods, other] })).perHour).toBeCloseTo(5, 6);
    const boundPods = [{ ...other, spec: { ...other.spec, nodeName: 'n' } }];
    expect((await priceBound({ ...input, boundPods })).perHour).toBeCloseTo(4, 6);
  });

  test('does not rely on zones that a limit of the NodePool may close', async () => {
    const types = [typeOf('t', 2, { 'zone-a': 1, 'zone-b': 3 })];
    const pods = podsOf({ count: 4, cpu: 2, maxSkew: 1, volumeIn: [null] }, 'web');
    const pool = aPool('default', types);
    const { metadata, spec } = pool.nodePool;
    const limited = { ...pool, nodePool: { metadata, spec: { ...spec, limits: { cpu: '100' } } } };
    expect((await priceBound({ pools: [limited], pods })).perHour).toBeCloseTo(4, 6);
  });

  test('divides by the default constraints of the cluster', async () => {
    const types = [typeOf('t', 2, { 'zone-a': 1, 'zone-b': 3 })];
    const pods = podsOf({ count: 4, cpu: 2, maxSkew: null, volumeIn: [null] }, 'web');
    const constraints = [{ maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule' }];
    const services = [{ metadata: { name: 'web', namespace: 'default' }, selector: { app: 'web' } }];
    const input = { pools: [aPool('default', types)], pods, defaultSpread: { constraints, services } };
    expect((await priceBound(input)).perHour).toBeCloseTo(8, 6);
  });
});

describe('with zones, volumes and spreads', () => {
  const zone = fc.constantFrom(...ZONES);
  const smallCase: fc.Arbitrary<Small> = fc.record({
    groups: fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 4 }),
        cpu: fc.integer({ min: 1, max: 3 }),
        maxSkew: fc.constantFrom(null, 1, 1, 2),
        volumeIn: fc.oneof(fc.constant([null]), fc.array(fc.option(zone), { minLength: 1, maxLength: 3 })),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    types: fc.array(
      fc.record({
        cpu: fc.integer({ min: 2, max: 6 }),
        prices: fc.dictionary(zone, fc.integer({ min: 1, max: 9 }), { minKeys: 1, maxKeys: 3 }),
        disks: fc.constantFrom(null, 1, 2),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    free: fc.array(fc.record({ cpu: fc.integer({ min: 1, max: 4 }), zone }), { maxLength: 2 }),
  });

  test('the bound is never above the cheapest valid plan, which brute force finds', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(smallCase, async (small) => {
        fc.pre(small.groups.reduce((sum, { count }) => sum + count, 0) <= 5);
        const optimum = cheapest(small);
        if (optimum === undefined) return;
        found++;
        expect(await bound(small)).toBeLessThanOrEqual(optimum + 1e-9);
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(50);
  });

  test('the bound is never above what the engine plans', async () => {
    await fc.assert(
      fc.asyncProperty(smallCase, async (small) => {
        const input = inputOf(small);
        const { pricePerHour, refusals } = solve(input);
        const except = refusals.flatMap(({ pods }) => pods);
        expect((await priceBound(input, { except })).perHour).toBeLessThanOrEqual(pricePerHour + 1e-9);
      }),
      { numRuns: 200 },
    );
  });
});

// ---------------------------------------------------------------------------------------------------------------

interface Placed {
  readonly group: number;
  readonly cpu: number;
  readonly zone: string | null;
}

interface Bin {
  readonly zone: string;
  readonly pods: readonly Placed[];
}

/** Tries every way to put the pods on free nodes and on new ones in every zone. */
function cheapest({ groups, types, free: nodes }: Small): number | undefined {
  const pods = groups.flatMap((group, at) =>
    Array.from(
      { length: group.count },
      (_, index): Placed => ({ group: at, cpu: group.cpu, zone: volumeZone(group, index) }),
    ),
  );
  const cpuOf = (bin: Bin) => bin.pods.reduce((sum, { cpu }) => sum + cpu, 0);
  const priceOf = (bin: Bin) => {
    const disks = bin.pods.filter(({ zone }) => zone !== null).length;
    const fitting = types.filter((type) => cpuOf(bin) <= type.cpu && disks <= (type.disks ?? Infinity));
    return Math.min(Infinity, ...fitting.map(({ prices }) => prices[bin.zone] ?? Infinity));
  };
  /** Zones where a node can be launched for a pod of the group, whatever its volume. */
  const counted = groups.map((group) =>
    ZONES.filter((zone) => types.some(({ cpu, prices }) => cpu >= group.cpu && prices[zone] !== undefined)),
  );
  const holds = (bins: readonly Bin[]) =>
    groups.every(({ maxSkew }, group) => {
      if (maxSkew === null) return true;
      const countIn = (zone: string) =>
        bins
          .filter((bin) => bin.zone === zone)
          .reduce((sum, bin) => sum + bin.pods.filter((pod) => pod.group === group).length, 0);
      const least = Math.min(...counted[group]!.map(countIn));
      return ZONES.every((zone) => countIn(zone) - least <= maxSkew);
    });
  let best = Infinity;
  const place = (next: number, old: readonly Bin[], bought: readonly Bin[]) => {
    if (next === pods.length) {
      if (holds([...old, ...bought]))
        best = Math.min(
          best,
          bought.reduce((sum, bin) => sum + priceOf(bin), 0),
        );
      return;
    }
    const pod = pods[next]!;
    const may = (zone: string) => pod.zone === null || pod.zone === zone;
    const put = (bins: readonly Bin[], at: number) =>
      bins.map((bin, index) => (index === at ? { ...bin, pods: [...bin.pods, pod] } : bin));
    old.forEach((bin, at) => {
      if (may(bin.zone) && cpuOf(bin) + pod.cpu <= nodes[at]!.cpu) place(next + 1, put(old, at), bought);
    });
    bought.forEach((bin, at) => {
      if (may(bin.zone)) place(next + 1, old, put(bought, at));
    });
    for (const zone of ZONES) if (may(zone)) place(next + 1, old, [...bought, { zone, pods: [pod] }]);
  };
  place(
    0,
    nodes.map(({ zone }) => ({ zone, pods: [] })),
    [],
  );
  return best === Infinity ? undefined : best;
}
