/** What `why` makes of a launch that goes on, while events on the NodePool report earlier failures. */
import { describe, expect, test } from 'vitest';

import { type CorpusCase, runObjects } from './corpus.ts';
import type { EventWords } from './objects.ts';

const NOMINATED: EventWords = {
  on: 'Pod/shop/web',
  type: 'Normal',
  reason: 'Nominated',
  message: 'Pod should schedule on: nodeclaim/default-x7k2p',
  by: 'karpenter',
  ago: '1m',
};

async function ask(subject: string, more: Partial<CorpusCase>) {
  const { explanation } = await runObjects({ file: '', title: '', ask: subject, expect: {}, ...more });
  return explanation!;
}

describe.each(['InstanceTypesUnknown', 'LaunchesLimited', 'LaunchesStopped', 'NoCompatibleInstanceTypes'])(
  'the event %s on a NodePool',
  (reason) => {
    const onPool: EventWords = {
      on: 'NodePool/default',
      reason,
      message: 'not now',
      by: 'karpenter',
      ago: '4m',
    };

    test('does not explain a pod whose NodeClaim is launched', async () => {
      const explanation = await ask('pod/shop/web', {
        pods: [{ age: '2m' }],
        claims: [{ upTo: 'launched', age: '1m' }],
        events: [onPool, NOMINATED],
      });
      expect(explanation).toMatchObject({ verdict: 'underWay', cause: undefined, also: [] });
    });

    test('does not explain a NodeClaim that is being launched', async () => {
      const explanation = await ask('nodeclaim/default-x7k2p', {
        claims: [{ upTo: 'created', age: '10s' }],
        events: [onPool],
      });
      expect(explanation).toMatchObject({ verdict: 'underWay', cause: undefined, also: [] });
    });

    test('explains a pod whose NodeClaim is gone: the next one is not launched', async () => {
      const explanation = await ask('pod/shop/web', { pods: [{ age: '6m' }], events: [onPool, NOMINATED] });
      expect(explanation.cause?.id).toMatch(/^planning\./);
    });
  },
);

describe('a bootstrap that failed while the pod was pending', () => {
  const failed: EventWords = {
    on: 'NodePool/default',
    reason: 'CSEFailed',
    message: 'NodeClaim default-old11: CSE exited with code 50 (ERR_OUTBOUND_CONN_FAIL)',
    by: 'karpenter',
    ago: '15m',
  };
  const boots = { upTo: 'launched', age: '1m' } as const;

  test('explains a pod whose next VM boots, if no VM has joined since', async () => {
    const explanation = await ask('pod/shop/web', {
      pods: [{ age: '20m' }],
      claims: [boots],
      events: [failed, NOMINATED],
    });
    expect(explanation.cause?.id).toBe('cse.50');
  });

  test('is over once another VM of the NodePool has joined', async () => {
    const joined = {
      name: 'default-good1',
      age: '8m',
      conditions: { Registered: { status: 'True', ago: '6m' } },
    };
    const explanation = await ask('pod/shop/web', {
      pods: [{ age: '20m' }],
      claims: [boots, joined],
      events: [failed, NOMINATED],
    });
    expect(explanation).toMatchObject({ cause: undefined, also: [] });
  });
});

test('a pod that was nominated to a node without a NodeClaim waits for kube-scheduler, not for its NodePool', async () => {
  const explanation = await ask('pod/shop/web', {
    pool: { spec: { limits: { cpu: '10' } }, status: { resources: { cpu: '10', nodes: '3' } } },
    pods: [{ age: '9m' }],
    events: [
      {
        on: 'Pod/shop/web',
        reason: 'FailedScheduling',
        message: '0/1 nodes are available: 1 node(s) had volume node affinity conflict.',
        by: 'default-scheduler',
        ago: '1m',
      },
      { ...NOMINATED, message: 'Pod should schedule on: node/aks-system-1' },
    ],
  });
  expect(explanation.cause?.id).not.toBe('scheduling.limit');
  expect(JSON.stringify(explanation)).toContain('volume node affinity conflict');
});
