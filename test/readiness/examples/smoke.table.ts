import type { SmokeResult } from '../../../packages/chandler/src/readiness/index.ts';
import type { ExampleTable } from './example.ts';

const PODS = 'GET /api/v1/pods';
const CLAIMS = 'GET /apis/karpenter.sh/v1/nodeclaims';

const phase = (name: string, tookMs: number, state = 'done') =>
  ({ name, title: name, state, tookMs, warnMs: 60_000, failMs: 300_000 }) as SmokeResult['phases'][number];

const RESULT: SmokeResult = {
  run: '0a1b2c3d',
  namespace: 'chandler-smoke-0a1b2c3d',
  replicas: 10,
  cpu: '1',
  memory: '1Gi',
  startedAt: '2026-06-01T08:00:00Z',
  running: 10,
  phases: [phase('pending', 1_000), phase('claims', 4_000), phase('registered', 41_000)],
  nodes: [
    {
      nodeClaim: 'default-x7k2p',
      nodePool: 'default',
      node: 'ip-10-0-1-7.ec2.internal',
      instanceType: 'c6i.4xlarge',
      zone: 'us-west-2a',
      capacityType: 'on-demand',
    },
  ],
  removal: { state: 'done', tookMs: 90_000 },
  left: [],
};
const smoke = (change: Partial<SmokeResult>) => ({
  'smoke.json': JSON.stringify({ ...RESULT, ...change }),
});

export const SMOKE_EXAMPLES: ExampleTable = {
  'S-61': {
    fails: {
      status: 'fail',
      files: smoke({ running: 0, phases: [phase('pending', 1_000), phase('claims', 120_000, 'stuck')] }),
      sources: [PODS, CLAIMS],
    },
    passes: { files: smoke({}), sources: [PODS, CLAIMS, CLAIMS] },
  },
};
