/** A planner that lives long gives the plans of one that is new, whatever changed in between. */
import { describe, expect, test } from 'vitest';
import {
  type ExistingNode,
  finish,
  Planner,
  type Pod,
  type SchedulingInput,
  solve,
} from '../../packages/chandler/src/scheduling/index.ts';
import { everyNth } from '../part.ts';
import { aPod, aPool, aType } from './builders.ts';
import { ChangingCluster } from './changing-cluster.ts';
import { randomCluster } from './random-cluster.ts';

const SEEDS = Array.from({ length: 60 }, (_, at) => 1 + at);
const CHANGING = everyNth('changing clusters', SEEDS, 6);
const FEWER = everyNth('changing clusters planned in pieces or with improvement', SEEDS.slice(0, 20), 5);
const STEPS = 25;

/** The whole plan as text, byte by byte. */
function text(plan: object): string {
  return JSON.stringify(plan);
}

describe('a planner', () => {
  test('plans a changing cluster like a new planner, byte by byte', () => {
    for (const seed of CHANGING) {
      const cluster = new ChangingCluster(seed);
      const planner = new Planner();
      const steps: string[] = [];
      for (let step = 0; step < STEPS; step++) {
        const plan = planner.plan(cluster.input);
        expect(text(plan), `seed ${seed}: ${steps.join(', ')}`).toBe(text(solve(cluster.input)));
        steps.push(cluster.step());
      }
    }
  });

  test('plans in pieces like a new planner, also when it is asked for another plan between them', () => {
    for (const seed of FEWER) {
      const cluster = new ChangingCluster(seed);
      const planner = new Planner();
      for (let step = 0; step < 10; step++) {
        const { input } = cluster;
        const pieces = planner.preparing(input);
        for (let piece = 0; piece < step % 3; piece++) pieces.next();
        if (step % 2 === 0) planner.plan(randomCluster(seed + 7).input);
        expect(text(finish(pieces).solve()), `seed ${seed}, step ${step}`).toBe(text(solve(input)));
        cluster.step();
      }
    }
  });

  test('reads many bound pods in several pieces', () => {
    const nodes: ExistingNode[] = ['a', 'b'].map((name) => ({
      name,
      labels: {},
      allocatable: { cpu: '9000', memory: '9000Gi', pods: '9000' },
    }));
    const boundPods = Array.from({ length: 12_000 }, (_, at): Pod => {
      const pod = aPod({ name: `bound-${at}`, cpu: '1' });
      return { ...pod, spec: { ...pod.spec, nodeName: at % 2 === 0 ? 'a' : 'b' } };
    });
    const input = { pools: [aPool()], nodes, boundPods, pods: [aPod({ name: 'new', cpu: '2999' })] };
    const planner = new Planner();
    const first = planner.preparing(input);
    let pieces = 1;
    let piece = first.next();
    for (; piece.done !== true; piece = first.next()) pieces += 1;
    expect(pieces).toBeGreaterThan(6);
    expect(text(piece.value.solve())).toBe(text(solve(input)));
    expect(
      [...planner.preparing({ ...input, pods: [aPod({ name: 'other', cpu: '1' })] })].length,
    ).toBeLessThan(4);
  });

  test('plans with improvement like a new planner', () => {
    for (const seed of FEWER) {
      const cluster = new ChangingCluster(seed);
      const planner = new Planner();
      for (let step = 0; step < 8; step++) {
        const { options, ...rest } = cluster.input;
        const input: SchedulingInput = { ...rest, options: { ...options, improveEffort: 1 } };
        expect(text(planner.plan(input)), `seed ${seed}, step ${step}`).toBe(text(solve(input)));
        cluster.step();
      }
    }
  });

  test('plans one cluster after another, as a test suite of many clusters would', () => {
    const planner = new Planner();
    for (let seed = 500; seed < 650; seed++) {
      const { input } = randomCluster(seed);
      expect(text(planner.plan(input)), `seed ${seed}`).toBe(text(solve(input)));
    }
  });

  test('says the same about the domains of a pod with several terms, whatever values it has seen', () => {
    const cluster = new ChangingCluster(5246);
    const planner = new Planner();
    for (let step = 0; step < 20; step++) {
      cluster.step();
      expect(text(planner.plan(cluster.input)), `step ${step}`).toBe(text(solve(cluster.input)));
    }
  });

  test('starts anew when it keeps too much, with the same plans', () => {
    const planner = new Planner(50);
    const cluster = new ChangingCluster(7);
    for (let step = 0; step < STEPS; step++) {
      expect(text(planner.plan(cluster.input))).toBe(text(solve(cluster.input)));
      cluster.step();
    }
  });

  test('counts what its plans add, and drops it when it is too much', () => {
    const types = Array.from({ length: 100 }, (_, at) => aType({ name: `type-${at}`, cpu: 2 }));
    const pools = [aPool({ name: 'pool', types, requirements: ['team Exists'] })];
    const planner = new Planner(5_000);
    const sizes: number[] = [];
    for (let team = 0; team < 200; team++) {
      planner.plan({ pools, pods: [aPod({ name: 'pod', nodeSelector: { team: `${team}` } })] });
      sizes.push(planner.size);
    }
    // Each label value is a new state of the pool, with the prices of all its types.
    expect(sizes[1]! - sizes[0]!).toBeGreaterThan(types.length / 2);
    expect(Math.max(...sizes)).toBeLessThan(6_000);
  });

  test('notices a list that was changed in place', () => {
    const { input } = randomCluster(3);
    const nodes = [...(input.nodes ?? [])];
    const pods = [...input.pods];
    const planner = new Planner();
    planner.plan({ ...input, nodes, pods });
    nodes.pop();
    pods.reverse();
    expect(text(planner.plan({ ...input, nodes, pods }))).toBe(text(solve({ ...input, nodes, pods })));
  });

  test('reads only the nodes that have changed', () => {
    const read: string[] = [];
    const node = (index: number): ExistingNode => ({
      name: `node-${index}`,
      labels: { 'kubernetes.io/hostname': `node-${index}` },
      get allocatable() {
        read.push(this.name);
        return { cpu: '4', memory: '8Gi', pods: '110' };
      },
    });
    const pod = (name: string, nodeName?: string): Pod => ({
      metadata: { name, namespace: 'default' },
      spec: {
        containers: [{ name: 'main', resources: { requests: { cpu: '3' } } }],
        ...(nodeName === undefined ? {} : { nodeName }),
      },
    });
    const nodes = Array.from({ length: 500 }, (_, index) => node(index));
    const boundPods = nodes.map(({ name }, index) => pod(`bound-${index}`, name));
    const planner = new Planner();
    planner.plan({ pools: [], nodes, boundPods, pods: [pod('first')] });
    read.length = 0;
    const later = {
      pools: [],
      nodes: [...nodes.slice(0, 7), node(7), ...nodes.slice(8), node(500)],
      boundPods: boundPods.filter((_, index) => index !== 20),
      pods: [pod('second'), pod('third')],
    };
    const plan = planner.plan(later);
    // Of node-20 only the pods have changed: its own values are kept.
    expect([...new Set(read)].sort()).toEqual(['node-500', 'node-7']);
    expect(plan.placements.map((placement) => placement.node).sort()).toEqual(['node-20', 'node-500']);
    expect(text(plan)).toBe(text(solve(later)));
  });

  test('reads the pods of no other node when a pod with a volume comes, goes or is bound', () => {
    const read = new Set<string>();
    const driver = 'disk.csi.azure.com';
    const requests = { cpu: '1' };
    const pod = (name: string, nodeName?: string): Pod => ({
      metadata: { name, namespace: 'default' },
      spec: {
        containers: [{ name: 'main', resources: { requests } }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
        ...(nodeName === undefined ? {} : { nodeName }),
      },
    });
    const watched = (nodeName: string): Pod => ({
      get metadata() {
        read.add(nodeName);
        return { name: `plain-${nodeName}`, namespace: 'default' };
      },
      spec: { containers: [{ name: 'main', resources: { requests } }], nodeName },
    });
    const nodes = Array.from(
      { length: 100 },
      (_, index): ExistingNode => ({
        name: `node-${index}`,
        labels: { 'kubernetes.io/hostname': `node-${index}` },
        allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      }),
    );
    const csiNodes = nodes.map(({ name }) => ({
      metadata: { name },
      spec: { drivers: [{ name: driver, nodeID: name, allocatable: { count: 2 } }] },
    }));
    const classes = [
      { metadata: { name: 'disk' }, provisioner: driver, volumeBindingMode: 'WaitForFirstConsumer' },
    ];
    const claim = (name: string) => ({
      metadata: { name, namespace: 'default' },
      spec: { storageClassName: 'disk' },
    });
    const mounting = nodes.map(({ name }, index) => pod(`bound-${index}`, name));
    const plain = nodes.map(({ name }) => watched(name));
    const claims = [
      ...mounting.map(({ metadata }) => claim(metadata.name!)),
      claim('first'),
      claim('second'),
    ];
    const planner = new Planner();
    const volumes = { classes, csiNodes, claims };
    planner.plan({ pools: [], nodes, boundPods: [...plain, ...mounting], pods: [pod('first')], volumes });
    read.clear();
    const after: SchedulingInput = {
      pools: [],
      nodes,
      boundPods: [...plain, ...mounting.filter((_, index) => index !== 20), pod('first', 'node-3')],
      pods: [pod('second'), { ...pod('bound-5'), metadata: { name: 'sharing', namespace: 'default' } }],
      volumes: {
        classes,
        claims: [...claims, claim('third')],
        csiNodes: csiNodes.with(8, { ...csiNodes[8]! }),
      },
    };
    const plan = planner.plan(after);
    expect([...read].sort()).toEqual(['node-20', 'node-3', 'node-5', 'node-8']);
    expect(text(plan)).toBe(text(solve(after)));
  });

  test('keeps nothing for nodes that are gone, though pods of DaemonSets name their node', () => {
    const planner = new Planner();
    const sizes = Array.from({ length: 20 }, (_, round) => {
      const nodes = Array.from(
        { length: 50 },
        (_unused, at): ExistingNode => ({
          name: `node-${round}-${at}`,
          labels: {},
          allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
        }),
      );
      const boundPods = nodes.map(({ name }): Pod => {
        const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [name] }];
        return {
          metadata: {
            name: `agent-${name}`,
            namespace: 'kube-system',
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true },
            ],
          },
          spec: {
            nodeName: name,
            containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }],
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
              },
            },
          },
        };
      });
      planner.plan({ pools: [], nodes, boundPods, pods: [aPod({ name: 'pod', cpu: '1' })] });
      return planner.size;
    });
    expect(sizes.at(-1)).toBe(sizes[1]);
  });

  test('keeps an earlier snapshot valid', () => {
    const first = randomCluster(11).input;
    const second = randomCluster(12).input;
    const planner = new Planner();
    const snapshot = planner.prepare(first);
    planner.plan(second);
    expect(text(snapshot.solve())).toBe(text(solve(first)));
    const cluster = new ChangingCluster(5);
    const snapshots = Array.from({ length: STEPS }, () => {
      cluster.step();
      return { input: cluster.input, kept: planner.prepare(cluster.input) };
    });
    for (const { input, kept } of snapshots) expect(text(kept.solve())).toBe(text(solve(input)));
  });
});
