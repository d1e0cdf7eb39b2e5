/**
 * The workloads of Karpenter's own scheduling benchmark, bit for bit: its diverse pods, its preference pods, its
 * fake instance types, its one pool. The order of the draws is part of the workload; a golden hash keeps it.
 */
import { KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { InstanceType, Pod, PodSpec } from '../../packages/chandler/src/scheduling/index.ts';

import { GoRand } from './go-rand.ts';
import {
  affinityTerm,
  CATALOGUE,
  HOST,
  ON_DEMAND,
  offeringOf,
  oneOf,
  podOf,
  poolOf,
  SPOT,
  spread,
  type Workload,
  ZONE,
} from './shapes.ts';

export type DiverseKind = 'generic' | 'spread-zone' | 'spread-host' | 'affinity-zone' | 'anti-host';

/** What is drawn for one pod, before it becomes a pod. */
export interface DiverseDraw {
  readonly kind: DiverseKind;
  readonly label: string;
  /** What a spread or affinity selects; empty for generic pods. */
  readonly selector: string;
  readonly cpuMilli: number;
  readonly memoryMi: number;
}

/** A fifth of each kind in a fixed order, the remainder generic. */
export function drawDiverse(count: number, seed = SEED): DiverseDraw[] {
  const random = new GoRand(seed);
  const label = () => LABELS[random.intn(LABELS.length)]!;
  const size = () => drawSize(random);
  const draws: DiverseDraw[] = [];
  const kinds: Record<DiverseKind, () => Omit<DiverseDraw, 'kind'>> = {
    generic: () => ({ label: label(), selector: '', ...size() }),
    'spread-zone': () => ({ label: label(), selector: label(), ...size() }),
    'spread-host': () => ({ label: label(), selector: label(), ...size() }),
    'affinity-zone': () => {
      const own = label();
      return { label: own, selector: own, ...size() };
    },
    'anti-host': () => ({ label: 'nginx', selector: 'nginx', ...size() }),
  };
  const add = (kind: DiverseKind, pods: number) => {
    for (let i = 0; i < pods; i++) draws.push({ kind, ...kinds[kind]() });
  };
  for (const kind of Object.keys(kinds) as DiverseKind[]) add(kind, Math.floor(count / 5));
  add('generic', count - draws.length);
  return draws;
}

/** The line of a draw that the golden hashes are made of. */
export function drawLine(draw: DiverseDraw): string {
  return [draw.kind, draw.label, draw.selector, draw.cpuMilli, draw.memoryMi].join('|');
}

export function diverseWorkload(count: number): Workload {
  return karpenterWorkload('diverse', (seed) => drawDiverse(count, seed).map(diversePod));
}

/** Pods of one size that would rather not share a zone or a host, which cannot be had for all of them. */
export function preferenceWorkload(count: number): Workload {
  const app = { app: 'nginx' };
  const spec: Omit<PodSpec, 'containers'> = {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [oneOf(ZONE, 'test-zone-1')] } },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 10, podAffinityTerm: affinityTerm(ZONE, app) },
          { weight: 1, podAffinityTerm: affinityTerm(HOST, app) },
        ],
      },
    },
  };
  return karpenterWorkload('preferences', (seed) => {
    const size = drawSize(new GoRand(seed));
    return Array.from({ length: count }, (_, index) =>
      podOf({ labels: { ...app, ...COMMON }, ...size, spec }, index),
    );
  });
}

/** `fake-it-0` with 1 cpu, 2 GiB, 10 pods, and so on upwards; five offerings at one price. */
export function fakeTypes(count: number): InstanceType[] {
  return Array.from({ length: count }, (_, index) => fakeType(`fake-it-${index}`, index + 1));
}

// ---------------------------------------------------------------------------------------------------

const SEED = 42;
const LABELS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const CPU_MILLI = [100, 250, 500, 1000, 1500];
const MEMORY_MI = [100, 256, 512, 1024, 2048, 4096];
/** Upstream's test builder puts this on every object. */
const COMMON = { 'testing/cluster': 'unspecified' };
const FAKE_TYPES = 400;
const GIBIBYTE = 2 ** 30;

function drawSize(random: GoRand): { cpuMilli: number; memoryMi: number } {
  return {
    cpuMilli: CPU_MILLI[random.intn(CPU_MILLI.length)]!,
    memoryMi: MEMORY_MI[random.intn(MEMORY_MI.length)]!,
  };
}

function diversePod(draw: DiverseDraw, index: number): Pod {
  const { labels, spec } = constraints(draw);
  return podOf({ ...draw, labels: { ...labels, ...COMMON }, spec }, index);
}

function constraints(draw: DiverseDraw): {
  labels: Record<string, string>;
  spec: Omit<PodSpec, 'containers'>;
} {
  const mine = { 'my-label': draw.label };
  switch (draw.kind) {
    case 'generic':
      return { labels: mine, spec: {} };
    case 'spread-zone':
    case 'spread-host': {
      const key = draw.kind === 'spread-zone' ? ZONE : HOST;
      const constraint = spread(key, { 'my-label': draw.selector }, 'DoNotSchedule');
      return { labels: mine, spec: { topologySpreadConstraints: [constraint] } };
    }
    case 'affinity-zone': {
      const labels = { 'my-affininity': draw.label }; // spelt as upstream spells it
      return { labels, spec: { affinity: { podAffinity: required(affinityTerm(ZONE, labels)) } } };
    }
    case 'anti-host': {
      const labels = { app: draw.label };
      return { labels, spec: { affinity: { podAntiAffinity: required(affinityTerm(HOST, labels)) } } };
    }
  }
}

function required(term: ReturnType<typeof affinityTerm>) {
  return { requiredDuringSchedulingIgnoredDuringExecution: [term] };
}

function karpenterWorkload(name: string, podsOf: (seed: number) => Pod[]): Workload {
  const pool = poolOf({
    name: 'default',
    labels: COMMON,
    limits: { cpu: '10000000', memory: '10000000Gi' },
  });
  const input = {
    pods: podsOf(SEED),
    pools: [pool],
    catalogues: { [CATALOGUE]: fakeTypes(FAKE_TYPES) },
    wellKnownLabels: ['size', 'special', 'integer'],
  };
  return {
    name,
    input,
    placeable: input.pods.length,
    earlier: (round) => ({ ...input, pods: podsOf(SEED + round) }),
  };
}

function fakeType(name: string, cpu: number): InstanceType {
  const memoryGi = 2 * cpu;
  const price = 0.1 * cpu + (0.1 * memoryGi * GIBIBYTE) / 1e9;
  const large = cpu > 4 && memoryGi > 8;
  const offered: [zone: string, capacityType: string][] = [
    ['test-zone-1', SPOT],
    ['test-zone-2', SPOT],
    ['test-zone-1', ON_DEMAND],
    ['test-zone-2', ON_DEMAND],
    ['test-zone-3', ON_DEMAND],
  ];
  return {
    name,
    requirements: [
      oneOf(KubernetesLabel.instanceType, name),
      oneOf(KubernetesLabel.arch, 'amd64'),
      oneOf(KubernetesLabel.os, 'darwin', 'linux', 'windows'),
      oneOf(ZONE, 'test-zone-1', 'test-zone-2', 'test-zone-3'),
      oneOf(KarpenterLabel.capacityType, ON_DEMAND, SPOT),
      oneOf('size', large ? 'large' : 'small'),
      large ? oneOf('special', 'optional') : { key: 'special', operator: 'DoesNotExist', values: [] },
      oneOf('integer', String(cpu)),
    ],
    capacity: { cpu: String(cpu), memory: `${memoryGi}Gi`, pods: String(10 * cpu) },
    overhead: { kubeReserved: { cpu: '100m', memory: '10Mi' } },
    offerings: offered.map(([zone, capacityType]) => offeringOf(zone, capacityType, price)),
  };
}
