/** The NodeClaims of the fixture world: one that failed, one in flight, and those of the last hours. */
import type { ClaimRow, ClaimsAnswer } from '../../../packages/chandler/src/dashboard/wire.ts';
import { finding } from './explanations.ts';
import { Random } from './random.ts';
import { POOL_SHAPES } from './shapes.table.ts';
import { MINUTE_MS, type World } from './world.ts';

export function claimsAnswer(world: World): ClaimsAnswer {
  const median = { launched: 9, registered: 38, initialized: 52 };
  const random = new Random(3);
  const claims: ClaimRow[] = [];
  for (let at = 0; at < 14; at++) claims.push(finishedClaim(world, random, at));
  claims.unshift(failedClaim(world), claimInFlight(world));
  return {
    atMs: world.nowMs,
    medians: { '*': median, general: median, batch: { ...median, initialized: 47 } },
    claims,
  };
}

const STAGES = [
  ['planned', 'planned', 0, 1],
  ['claim', 'NodeClaim created', 1, 2],
  ['instance', 'instance launched', 2, 9],
  ['boot', 'operating system started', 9, 24],
  ['registered', 'node registered', 24, 38],
  ['initialized', 'node initialized', 38, 52],
] as const;

function finishedClaim(world: World, random: Random, at: number): ClaimRow {
  const createdMs = world.nowMs - (at + 1) * 41 * MINUTE_MS;
  const slow = 0.8 + random.next() * (at === 3 ? 2.4 : 0.5);
  const pool = POOL_SHAPES[at % 2]!;
  return {
    name: `${pool.row.name}-${random.suffix()}`,
    pool: pool.row.name,
    type: random.one(pool.types).name,
    node: `ip-10-0-${at}-${at * 3}`,
    outcome: 'succeeded',
    createdMs,
    stages: STAGES.map(([stage, text, from, to]) => ({
      stage,
      text,
      startMs: createdMs + from * slow * 1000,
      endMs: createdMs + to * slow * 1000,
      outcome: 'ok',
      detail: '',
    })),
    cause: null,
  };
}

function failedClaim(world: World): ClaimRow {
  const createdMs = world.nowMs - 7 * MINUTE_MS;
  return {
    name: 'memory-quota',
    pool: 'memory',
    type: 'Standard_E8s_v5',
    node: null,
    outcome: 'failed',
    createdMs,
    stages: [
      {
        stage: 'planned',
        text: 'planned',
        startMs: createdMs,
        endMs: createdMs + 900,
        outcome: 'ok',
        detail: '',
      },
      {
        stage: 'nic',
        text: 'network interface created',
        startMs: createdMs + 900,
        endMs: createdMs + 4200,
        outcome: 'ok',
        detail: '',
      },
      {
        stage: 'vm',
        text: 'VM requested',
        startMs: createdMs + 4200,
        endMs: createdMs + 9100,
        outcome: 'failed',
        detail: 'QuotaExceeded: standardESv5Family cores, limit 32, in use 32, needed 8',
      },
    ],
    cause: finding(
      'QuotaExceeded',
      'The quota of the VM family is used up',
      'standardESv5Family in westeurope: limit 32 cores, 32 in use, 8 needed.',
      'Ask for more quota, or permit another family in NodePool memory.',
    ),
  };
}

function claimInFlight(world: World): ClaimRow {
  const createdMs = world.nowMs - 40_000;
  return {
    name: 'general-inflight',
    pool: 'general',
    type: 'c7i.xlarge',
    node: null,
    outcome: 'under-way',
    createdMs,
    stages: STAGES.slice(0, 4).map(([stage, text, from, to], at) => ({
      stage,
      text,
      startMs: createdMs + from * 1000,
      endMs: at === 3 ? null : createdMs + to * 1000,
      outcome: at === 3 ? 'waiting' : 'ok',
      detail: '',
    })),
    cause: null,
  };
}
