import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExistingNode, InstanceType, Pod, SchedulingInput } from '../model.ts';
import { solve } from '../solve.ts';
import { aDaemonSet, aNode, aPod, aPool, aType } from './bound.fixture.ts';
import { priceBound } from './price-bound.ts';

describe('the bound on the price of a plan', () => {
  test('is exact when pods fill the nodes completely', async () => {
    const pods = Array.from({ length: 32 }, (_, index) => aPod(`web-${index}`, { cpu: '1', memory: '2Gi' }));
    const bound = await priceBound(input({ pods, types: [aType('m', { cpu: '4', memory: '8Gi' }, 0.2)] }));
    expect(bound).toMatchObject({ pods: 32, leftOut: 0, demands: 1, offers: 1, proven: true });
    expect(bound.perHour).toBeCloseTo(8 * 0.2, 5);
  });

  test('mixes instance types when that is cheaper than one type', async () => {
    const pods = [
      ...Array.from({ length: 8 }, (_, index) => aPod(`cpu-${index}`, { cpu: '4', memory: '4Gi' })),
      ...Array.from({ length: 8 }, (_, index) => aPod(`mem-${index}`, { cpu: '1', memory: '16Gi' })),
    ];
    const types = [
      aType('c', { cpu: '16', memory: '16Gi' }, 1),
      aType('r', { cpu: '4', memory: '64Gi' }, 1),
      aType('m', { cpu: '8', memory: '32Gi' }, 1),
    ];
    expect((await priceBound(input({ pods, types }))).perHour).toBeCloseTo(2 + 2, 5);
  });

  test('counts the daemons on every node', async () => {
    const pods = Array.from({ length: 6 }, (_, index) => aPod(`web-${index}`, { cpu: '1' }));
    const types = [aType('m', { cpu: '4', memory: '8Gi' }, 0.4)];
    const daemonSets = [aDaemonSet('agent', { cpu: '1' })];
    expect((await priceBound(input({ pods, types }))).perHour).toBeCloseTo(1.5 * 0.4, 5);
    expect((await priceBound(input({ pods, types, daemonSets }))).perHour).toBeCloseTo(2 * 0.4, 5);
  });

  test('does not count a daemon on nodes where it cannot run', async () => {
    const pods = Array.from({ length: 6 }, (_, index) => aPod(`web-${index}`, { cpu: '1' }));
    const types = [aType('m', { cpu: '4', memory: '8Gi' }, 0.4)];
    const daemonSets = [
      aDaemonSet('agent', { cpu: '1' }, { nodeSelector: { 'kubernetes.io/arch': 'arm64' } }),
    ];
    expect((await priceBound(input({ pods, types, daemonSets }))).perHour).toBeCloseTo(1.5 * 0.4, 5);
  });

  test('uses the free capacity of existing nodes at no cost', async () => {
    const pods = Array.from({ length: 8 }, (_, index) => aPod(`web-${index}`, { cpu: '1' }));
    const types = [aType('m', { cpu: '4', memory: '8Gi' }, 0.4)];
    const nodes = [aNode('old', { cpu: '5', memory: '8Gi', pods: '110' })];
    const boundPods = [aPod('there', { cpu: '1' }, { nodeName: 'old' })];
    expect((await priceBound(input({ pods, types, nodes, boundPods }))).perHour).toBeCloseTo(0.4, 5);
  });

  test('finished and invalid pods use no capacity', async () => {
    const pods = [aPod('web', { cpu: '4' })];
    const types = [aType('m', { cpu: '4', memory: '8Gi' }, 0.4)];
    const nodes = [aNode('old', { cpu: '4', memory: '8Gi', pods: '110' })];
    const boundPods = [
      { ...aPod('done', { cpu: '4' }, { nodeName: 'old' }), status: { phase: 'Succeeded' } },
      aPod('odd', { cpu: 'lots' }, { nodeName: 'old' }),
    ];
    expect((await priceBound(input({ pods, types, nodes, boundPods }))).perHour).toBe(0);
  });

  test('taints of a node count, except startup and ephemeral taints', async () => {
    const pods = [aPod('web', { cpu: '4' })];
    const types = [aType('m', { cpu: '4', memory: '8Gi' }, 0.4)];
    const startup = { key: 'cni', effect: 'NoSchedule' } as const;
    const node = {
      ...aNode('new', { cpu: '4', memory: '8Gi', pods: '110' }),
      managed: true,
      taints: [startup, { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const],
      startupTaints: [startup],
    };
    const starting = { ...node, initialized: false };
    expect((await priceBound(input({ pods, types, nodes: [node] }))).perHour).toBeCloseTo(0.4, 5);
    expect((await priceBound(input({ pods, types, nodes: [starting] }))).perHour).toBe(0);
  });

  test('a pod that selects a label of one pool is placed there', async () => {
    const types = (price: number) => [aType('m', { cpu: '4', memory: '8Gi' }, price)];
    const pools = [aPool('cheap', types(0.1)), aPool('dear', types(0.9))];
    const pick = (nodeSelector: Record<string, string>) =>
      priceBound({ pools, pods: [aPod('web', { cpu: '4' }, { nodeSelector })] });
    expect((await pick({ 'karpenter.sh/nodepool': 'dear' })).perHour).toBeCloseTo(0.9, 5);
    expect(await pick({ 'example.com/unknown': 'x' })).toMatchObject({ pods: 0, leftOut: 1 });
  });

  test('uses only compatible taints, labels and offerings', async () => {
    const types = [
      aType('amd', { cpu: '4', memory: '8Gi' }, 0.4),
      aType('arm', { cpu: '4', memory: '8Gi' }, 0.1, { arch: 'arm64' }),
    ];
    const plain = aPod('any', { cpu: '4' });
    const picky = aPod('picky', { cpu: '4' }, { nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' } });
    expect((await priceBound(input({ pods: [plain], types }))).perHour).toBeCloseTo(0.1, 5);
    expect((await priceBound(input({ pods: [picky], types }))).perHour).toBeCloseTo(0.4, 5);
    const tainted = aPool('tainted', types, { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] });
    expect(await priceBound({ pools: [tainted], pods: [plain] })).toMatchObject({ perHour: 0, leftOut: 1 });
    const tolerant = aPod('tolerant', { cpu: '4' }, { tolerations: [{ key: 'team', operator: 'Exists' }] });
    expect((await priceBound({ pools: [tainted], pods: [tolerant] })).perHour).toBeCloseTo(0.1, 5);
  });

  test('uses the cheapest of several required terms', async () => {
    const types = [
      aType('amd', { cpu: '4', memory: '8Gi' }, 0.4),
      aType('arm', { cpu: '4', memory: '8Gi' }, 0.3, { arch: 'arm64' }),
    ];
    const term = (arch: string) => ({
      matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: [arch] }],
    });
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('amd64'), term('arm64')] },
      },
    };
    const pods = [aPod('either', { cpu: '4' }, { affinity })];
    expect((await priceBound(input({ pods, types }))).perHour).toBeCloseTo(0.3, 5);
  });

  test('leaves out pods that fit nowhere and pods the caller names', async () => {
    const types = [aType('m', { cpu: '4', memory: '8Gi' }, 0.4)];
    const pods = [aPod('huge', { cpu: '64' }), aPod('fine', { cpu: '4' }), aPod('refused', { cpu: '4' })];
    const bound = await priceBound(input({ pods, types }), { except: ['default/refused'] });
    expect(bound).toMatchObject({ pods: 1, leftOut: 2 });
    expect(bound.perHour).toBeCloseTo(0.4, 5);
  });

  test('applies overlays and ignores unavailable offerings', async () => {
    const pods = [aPod('web', { cpu: '4' })];
    const types = [aType('m', { cpu: '4', memory: '8Gi' }, 0.4)];
    const overlays = [
      { metadata: { name: 'discount' }, spec: { requirements: [], priceAdjustment: '-50%' } },
    ];
    expect((await priceBound({ ...input({ pods, types }), overlays })).perHour).toBeCloseTo(0.2, 5);
    const sold = types.map((type) => ({
      ...type,
      offerings: type.offerings.map((offering) => ({ ...offering, available: false })),
    }));
    expect(await priceBound(input({ pods, types: sold }))).toMatchObject({ perHour: 0, leftOut: 1 });
  });

  test('does not exceed the capacity of a reservation', async () => {
    const pods = Array.from({ length: 4 }, (_, index) => aPod(`web-${index}`, { cpu: '4' }));
    const base = aType('m', { cpu: '4', memory: '8Gi' }, 0.4);
    const reserved = {
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] }],
      price: 0,
      reservation: { id: 'r-1', capacity: 3 },
    };
    const types = [{ ...base, offerings: [...base.offerings, reserved] }];
    expect((await priceBound(input({ pods, types }))).perHour).toBeCloseTo(0.4, 5);
  });

  test('ignores invalid input', async () => {
    const pods = [aPod('bad', { cpu: 'lots' }), aPod('fine', { cpu: '1' })];
    const types = [
      aType('nan', { cpu: '4', memory: '8Gi' }, Number.NaN),
      aType('negative', { cpu: '4', memory: '8Gi' }, -1),
      aType('m', { cpu: '4', memory: '8Gi' }, 0.4),
    ];
    const bound = await priceBound(input({ pods, types }));
    expect(bound).toMatchObject({ pods: 1, leftOut: 1 });
    expect(bound.perHour).toBeCloseTo(0.1, 5);
    expect(await priceBound({ pools: [], pods })).toMatchObject({ perHour: 0, pods: 0, leftOut: 2 });
  });

  test('a program that is too large is coarsened, which lowers the bound only slightly', async () => {
    const pods = Array.from({ length: 3000 }, (_, index) =>
      aPod(`p-${index}`, { cpu: `${100 + index}m`, memory: `${200 + ((index * 7919) % 3000)}Mi` }),
    );
    const types = [2, 4, 8, 16, 32, 64].flatMap((cpu) =>
      [2, 4, 8].map((ratio) => {
        const price = cpu * 0.04 + cpu * ratio * 0.003 - Math.sqrt(cpu) * 0.001;
        return aType(`t-${cpu}-${ratio}`, { cpu: `${cpu}`, memory: `${cpu * ratio}Gi` }, price);
      }),
    );
    const bound = await priceBound(input({ pods, types }));
    expect(bound.proven).toBe(true);
    expect(bound.demands).toBeLessThan(3000);
    const cpu = pods.reduce((sum, _, index) => sum + (100 + index) / 1000, 0);
    expect(bound.perHour).toBeGreaterThan(cpu * 0.04);
    expect(bound.perHour).toBeLessThan(cpu * 0.07);
  });
});

describe('against brute force', () => {
  test('the bound is never above the cheapest plan', async () => {
    await fc.assert(
      fc.asyncProperty(smallCase, async (small) => {
        const optimum = cheapest(small);
        fc.pre(optimum !== undefined);
        const { perHour } = await priceBound(toInput(small));
        expect(perHour).toBeLessThanOrEqual(optimum! + 1e-9);
      }),
      { numRuns: 150 },
    );
  });

  test('the bound is never above what the engine plans for the pods it places', async () => {
    await fc.assert(
      fc.asyncProperty(smallCase, async (small) => {
        const snapshot = toInput(small);
        const { pricePerHour, refusals } = solve(snapshot);
        const except = refusals.flatMap((refusal) => refusal.pods);
        const { perHour, proven, leftOut } = await priceBound(snapshot, { except });
        expect(proven).toBe(true);
        expect(leftOut).toBe(except.length);
        expect(perHour).toBeLessThanOrEqual(pricePerHour + 1e-9);
      }),
      { numRuns: 150 },
    );
  });

  test('another pod never lowers it, another type never raises it', async () => {
    await fc.assert(
      fc.asyncProperty(smallCase, async (small) => {
        const { perHour } = await priceBound(toInput(small));
        const more = { ...small, pods: [...small.pods, small.pods[0]!] };
        const enlarged = await priceBound(toInput(more));
        // Without a machine for it, one pod too many for the free nodes leaves no plan at all.
        if (enlarged.proven) expect(enlarged.perHour).toBeGreaterThanOrEqual(perHour - 1e-6);
        fc.pre(cheapest(small) !== undefined);
        const wider = { ...small, types: [...small.types, { cpu: 6, memory: 6, price: 5, arm: false }] };
        expect((await priceBound(toInput(wider))).perHour).toBeLessThanOrEqual(perHour + 1e-6);
      }),
      { numRuns: 60 },
    );
  });
});

// ---------------------------------------------------------------------------------------------------------------

interface Parts {
  readonly pods: readonly Pod[];
  readonly types: readonly InstanceType[];
  readonly nodes?: readonly ExistingNode[];
  readonly boundPods?: readonly Pod[];
  readonly daemonSets?: SchedulingInput['daemonSets'];
}

function input({ types, ...rest }: Parts): SchedulingInput {
  return { pools: [aPool('default', types)], ...rest } as SchedulingInput;
}

interface Small {
  readonly pods: readonly { readonly cpu: number; readonly memory: number; readonly arm: boolean | null }[];
  readonly types: readonly {
    readonly cpu: number;
    readonly memory: number;
    readonly price: number;
    readonly arm: boolean;
  }[];
  readonly free: readonly { readonly cpu: number; readonly memory: number }[];
  readonly daemon: number;
}

const size = fc.integer({ min: 1, max: 8 });
const smallCase: fc.Arbitrary<Small> = fc.record({
  pods: fc.array(fc.record({ cpu: size, memory: size, arm: fc.constantFrom(null, null, true, false) }), {
    minLength: 1,
    maxLength: 5,
  }),
  types: fc.array(
    fc.record({ cpu: size, memory: size, price: fc.integer({ min: 1, max: 9 }), arm: fc.boolean() }),
    { minLength: 1, maxLength: 4 },
  ),
  free: fc.array(fc.record({ cpu: size, memory: size }), { maxLength: 2 }),
  daemon: fc.integer({ min: 0, max: 1 }),
});

function toInput(small: Small): SchedulingInput {
  const arch = (arm: boolean) => (arm ? 'arm64' : 'amd64');
  return input({
    pods: small.pods.map((pod, index) =>
      aPod(
        `p-${index}`,
        { cpu: `${pod.cpu}`, memory: `${pod.memory}Gi` },
        {
          ...(pod.arm === null ? {} : { nodeSelector: { 'kubernetes.io/arch': arch(pod.arm) } }),
        },
      ),
    ),
    types: small.types.map((type, index) =>
      aType(`t-${index}`, { cpu: `${type.cpu}`, memory: `${type.memory}Gi` }, type.price, {
        arch: arch(type.arm),
      }),
    ),
    nodes: small.free.map((node, index) =>
      aNode(`n-${index}`, { cpu: `${node.cpu}`, memory: `${node.memory}Gi`, pods: '110' }),
    ),
    daemonSets: small.daemon === 0 ? [] : [aDaemonSet('agent', { cpu: `${small.daemon}` })],
  });
}

/** Tries every way to put the pods on the free nodes and on new ones. Existing nodes are amd64. */
function cheapest(small: Small): number | undefined {
  const priceOf = (pods: Small['pods']): number => {
    const fitting = small.types.filter(
      (type) =>
        pods.reduce((sum, pod) => sum + pod.cpu, small.daemon) <= type.cpu &&
        pods.reduce((sum, pod) => sum + pod.memory, 0) <= type.memory &&
        pods.every((pod) => pod.arm === null || pod.arm === type.arm),
    );
    return Math.min(Infinity, ...fitting.map((type) => type.price));
  };
  const fitsFree = (pods: Small['pods'], index: number) =>
    pods.reduce((sum, pod) => sum + pod.cpu, 0) <= small.free[index]!.cpu &&
    pods.reduce((sum, pod) => sum + pod.memory, 0) <= small.free[index]!.memory &&
    pods.every((pod) => pod.arm !== true);
  let best = Infinity;
  const place = (next: number, free: Small['pods'][], bought: Small['pods'][]) => {
    if (next === small.pods.length) {
      if (free.every(fitsFree))
        best = Math.min(
          best,
          bought.reduce((sum, pods) => sum + priceOf(pods), 0),
        );
      return;
    }
    const pod = small.pods[next]!;
    const put = (bins: Small['pods'][], at: number) =>
      bins.map((bin, index) => (index === at ? [...bin, pod] : bin));
    free.forEach((_, at) => {
      place(next + 1, put(free, at), bought);
    });
    bought.forEach((_, at) => {
      place(next + 1, free, put(bought, at));
    });
    place(next + 1, free, [...bought, [pod]]);
  };
  place(
    0,
    small.free.map(() => []),
    [],
  );
  return best === Infinity ? undefined : best;
}
