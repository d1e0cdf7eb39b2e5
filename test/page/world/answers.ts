/** The answers to the questions of the page, about the small world. */
import type {
  ObjectAnswer,
  PendingAnswer,
  PendingGroup,
  PodRow,
  SavingsAnswer,
  TimelineAnswer,
  WhatIfAnswer,
} from '../../../packages/chandler/src/dashboard/wire.ts';
import { nodeExplanation, pendingExplanation } from './explanations.ts';
import { Random } from './random.ts';
import { POOL_SHAPES } from './shapes.table.ts';
import { HOUR_MS, MINUTE_MS, START_MS, type World } from './world.ts';

const MAX_GROUPS = 20;

export function pendingAnswer(world: World): PendingAnswer {
  const byWorkload = new Map<string, PodRow[]>();
  for (const pod of world.pods.values()) {
    if (pod[3] !== 'p') continue;
    const key = `${pod[0]}/${pod[6]}`;
    byWorkload.set(key, [...(byWorkload.get(key) ?? []), pod]);
  }
  const groups = [...byWorkload.values()].map((pods): PendingGroup => {
    const [namespace, name, , , , , workload] = pods[0]!;
    return {
      workload,
      namespace,
      pods: pods.map((pod) => pod[1]),
      count: pods.length,
      sinceMs: world.nowMs - 4 * MINUTE_MS,
      answer: pendingExplanation(namespace, name, workload),
    };
  });
  return {
    atMs: world.nowMs,
    groups: groups.slice(0, MAX_GROUPS),
    further: Math.max(0, groups.length - MAX_GROUPS),
  };
}

export function savingsAnswer(world: World): SavingsAnswer {
  const nodes = [...world.nodes.values()];
  const by = (code: string) => nodes.filter((node) => node.staying[0]?.code === code);
  const keeping = (code: string, text: string) => ({
    code,
    text: code === 'PodDoNotDisrupt' ? null : text,
    nodes: by(code).map(({ name }) => ({
      name,
      text: code === 'PodDoNotDisrupt' ? `${text}: shop/${name}, until 2026-06-01T18:00:00Z` : text,
    })),
    pricePerHour: by(code).reduce((sum, node) => sum + (node.pricePerHour ?? 0), 0),
  });
  const totals = world.totals();
  const general = nodes.filter(({ pool, phase }) => pool === 'general' && phase === 'ready');
  return {
    atMs: world.nowMs,
    pricePerHour: totals.pricePerHour,
    lowerBoundPerHour: totals.lowerBoundPerHour,
    now: general.slice(0, 2).map(({ name, pricePerHour }, at) => ({
      method: at === 0 ? 'empty' : 'multi-node consolidation',
      nodes: at === 0 ? [name] : general.slice(2, 5).map((node) => node.name),
      replacements: at === 0 ? [] : ['m7g.2xlarge'],
      pods: at === 0 ? 0 : 17,
      savedPerHour: pricePerHour,
      text: at === 0 ? 'it runs no pods that would have to move' : 'their pods fit on one cheaper node',
    })),
    keeping: [
      keeping('BudgetExhausted', 'the budget of the NodePool permits no disruption now'),
      keeping('PodDoNotDisrupt', 'a pod has the annotation karpenter.sh/do-not-disrupt'),
      keeping('NotCheaper', 'no cheaper node has room for its pods'),
      keeping('NotManaged', 'it is not managed: it belongs to no NodePool'),
    ],
    done: Array.from({ length: 9 }, (_, at) => ({
      atMs: world.nowMs - (at + 1) * 97 * MINUTE_MS,
      outcome: at === 4 ? 'failed: the replacement was not Ready in 10 min' : 'succeeded',
      method: at % 2 === 0 ? 'empty' : 'single-node consolidation',
      nodes: [`ip-10-0-${at * 11}-${at * 7}`],
      replacements: at % 2 === 0 ? [] : ['c7i.xlarge'],
      pods: at % 2 === 0 ? 0 : 4 + at,
      savedPerHour: at === 4 ? 0 : 0.11 + at * 0.03,
      text: at % 2 === 0 ? 'it was empty' : 'a cheaper node had room for its pods',
    })),
    budgets: POOL_SHAPES.flatMap(({ row }) =>
      row.budgets.map(({ nodes: allowed, reasons, schedule }, at) => ({
        pool: row.name,
        nodes: allowed,
        reasons,
        schedule,
        duration: schedule === null ? null : '8h',
        isActive: schedule === null || at < 2,
        allowedNow: allowed === '0' ? 0 : 1,
        windows:
          schedule === null
            ? [{ fromMs: START_MS - 24 * HOUR_MS, toMs: START_MS + 24 * HOUR_MS }]
            : [-1, 0].map((day) => ({
                fromMs: START_MS + (day * 24 - 4 + at * 2) * HOUR_MS,
                toMs: START_MS + (day * 24 + 5 + at) * HOUR_MS,
              })),
      })),
    ),
    freezes: world.freezes,
  };
}

export function timelineAnswer(world: World, fromMs: number, toMs: number): TimelineAnswer {
  const past = pastOf(world);
  const within = (atMs: number) => atMs >= fromMs && atMs <= toMs;
  const prices = Array.from({ length: 120 }, (_, at) => ({
    atMs: START_MS - (120 - at) * 3 * MINUTE_MS,
    pricePerHour: 11 + 2.5 * Math.sin(at / 9) + (at > 70 ? -1.4 : 0),
  }));
  return {
    fromMs,
    toMs,
    happened: [...past, ...world.happened].filter(({ atMs }) => within(atMs)),
    prices: prices.filter(({ atMs }) => within(atMs)),
  };
}

export function objectAnswer(world: World, subject: string): ObjectAnswer | undefined {
  const kind = subject.split('/', 1)[0]!;
  const name = subject.slice(kind.length + 1);
  const node = world.nodes.get(name) ?? [...world.nodes.values()].find(({ claim }) => claim === name);
  const pod = kind === 'Pod' ? world.pods.get(name) : undefined;
  const known =
    node !== undefined ||
    pod !== undefined ||
    POOL_SHAPES.some(({ row }) => row.name === name || row.nodeClass === subject);
  if (!known) return undefined;
  const resource = `${kind.toLowerCase()} ${pod === undefined ? name : `${pod[1]} -n ${pod[0]}`}`;
  return {
    subject,
    conditions: [
      {
        type: 'Ready',
        status: node?.phase === 'not-ready' ? 'False' : 'True',
        reason: node?.phase === 'not-ready' ? 'KubeletNotReady' : 'KubeletReady',
        message: 'kubelet is posting ready status',
        sinceMs: world.nowMs - 12 * MINUTE_MS,
      },
    ],
    values: [
      { name: 'instance type', value: node?.type ?? 'm7g.2xlarge', from: 'NodeClaim status' },
      { name: 'image', value: 'ami-0c1d2e3f4a5b6c7d8', from: 'EC2NodeClass/default: alias al2023@latest' },
      { name: 'maxPods', value: '110', from: 'default of the image family' },
    ],
    labels: {
      'karpenter.sh/nodepool': node?.pool ?? 'general',
      'topology.kubernetes.io/zone': node?.zone ?? 'eu-central-1a',
    },
    related: [
      ...(pod === undefined ? [] : [`Node/${pod[2]}`]),
      ...(node?.claim === undefined || node.claim === null ? [] : [`NodeClaim/${node.claim}`]),
      'NodePool/general',
      'EC2NodeClass/default',
    ],
    events: pastOf(world)
      .slice(-5)
      .map((each) => ({ ...each, subject })),
    commands: [`kubectl describe ${resource}`, `chandler why ${resource}`],
    answer: pod === undefined ? nodeExplanation(kind, name) : pendingExplanation(pod[0], pod[1], pod[6]),
  };
}

export function whatIfAnswer(body: string): WhatIfAnswer {
  if (!body.includes('kind')) {
    return {
      nodes: [],
      onExisting: 0,
      pricePerHour: null,
      refused: [],
      pendingBefore: { pods: 0, refused: 0, nodes: 0, pricePerHour: 0 },
      problems: ['line 1: this is no manifest: it has no kind'],
    };
  }
  return {
    nodes: [
      {
        pool: 'general',
        type: 'm7g.2xlarge',
        zone: 'eu-central-1a',
        capacity: 'on-demand',
        pricePerHour: 0.391,
        pods: 24,
        count: 2,
      },
    ],
    onExisting: 6,
    pricePerHour: 0.782,
    refused: [
      { workload: 'Job/embed', count: 3, text: 'no NodePool has instance types with nvidia.com/gpu' },
    ],
    pendingBefore: { pods: 5, refused: 4, nodes: 1, pricePerHour: 0.12 },
    problems: [],
    notes: ['Prices are list prices.'],
  };
}

// ---------------------------------------------------------------------------------------------------

function pastOf(world: World): TimelineAnswer['happened'] {
  const random = new Random(5);
  const kinds = [
    'launch',
    'registered',
    'disruption',
    'removed',
    'event',
    'pending',
    'interruption',
    'failure',
  ] as const;
  const names = [...world.nodes.keys()];
  if (names.length === 0) return [];
  return Array.from({ length: 90 }, (_, at) => {
    const what = kinds[random.below(at % 9 === 0 ? 8 : 6)]!;
    const name = random.one(names);
    return {
      atMs: START_MS - (90 - at) * 4 * MINUTE_MS - random.below(MINUTE_MS),
      what,
      subject: what === 'pending' ? 'NodePool/general' : `Node/${name}`,
      reason: REASONS[what],
      text: `${name}: ${REASONS[what]}`,
      warning: what === 'failure' || what === 'interruption',
    };
  });
}

const REASONS = {
  launch: 'Launched',
  registered: 'Ready',
  disruption: 'Underutilized',
  removed: 'Terminated',
  event: 'NodeHasSufficientMemory',
  pending: 'FailedScheduling',
  interruption: 'SpotInterruption',
  failure: 'LaunchFailed',
} as const;
