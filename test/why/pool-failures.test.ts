/** What `why nodepool/x` makes of a launch that failed earlier, once nothing shows that launches still fail. */
import { describe, expect, test } from 'vitest';
import { explanationText } from '../../packages/chandler/src/diagnose/index.ts';

import { type CorpusCase, runObjects } from './corpus.ts';

async function ask(ago: string, more: Partial<CorpusCase> = {}) {
  const message = 'NodeClaim default-old11 event: SkuNotAvailable: The requested size is not available';
  const failure = { on: 'NodePool/default', reason: 'SKUNotAvailable', message, by: 'karpenter', ago };
  const { events = [], ...rest } = more;
  const { explanation } = await runObjects({
    file: '',
    title: '',
    ask: 'nodepool/default',
    events: [failure, ...events],
    expect: {},
    ...rest,
  });
  return explanation!;
}

describe('a launch that failed', () => {
  test.each<readonly [string, Partial<CorpusCase>]>([
    ['without pods', {}],
    ['that has launched what pods need', { pods: [{ node: 'aks-default-x7k2p' }] }],
    [
      'whose only Pending pod has a node and pulls its image',
      { pods: [{ node: 'aks-default-x7k2p', phase: 'Pending', ready: false }] },
    ],
    [
      'while a pod waits for its scheduling gate',
      {
        pods: [
          {
            status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
          },
        ],
      },
    ],
  ])(
    '45 minutes ago does not break a NodePool that is Ready and has no unfinished NodeClaim, %s',
    async (_, more) => {
      const explanation = await ask('45m', more);
      expect(explanation).toMatchObject({ verdict: 'healthy', cause: undefined });
      expect(explanation.also).toMatchObject([{ id: 'azure.sku-not-available', weight: 'suspicious' }]);
      expect(explanationText(explanation)).toMatch(/suspicious {2}2026-06-01T08:15:00Z, .*SkuNotAvailable/);
    },
  );

  test.each([
    ['two minutes ago', '2m', {}],
    ['while the NodePool is not Ready', '45m', { pool: { conditions: { Ready: { status: 'False' } } } }],
    // The cloud refused the size for hours: until then no NodeClaim is created, and there is no other event.
    ['while a pod has no node', '45m', { pods: [{ age: '50m' }] }],
    ['while a NodeClaim is not a node yet', '45m', { claims: [{ upTo: 'created', age: '1m' }] }],
    [
      'while launches are held back',
      '45m',
      {
        events: [
          {
            on: 'NodePool/default',
            reason: 'LaunchesHeldBack',
            message: 'Launches are held back until 2026-06-01T09:20:00Z',
            by: 'karpenter',
            ago: '40m',
          },
        ],
      },
    ],
  ] as const)('%s is the cause, with its time', async (_, ago, more) => {
    const explanation = await ask(ago, more as Partial<CorpusCase>);
    const findings = [explanation.cause!, ...explanation.also];
    const failure = findings.find(({ id }) => id === 'azure.sku-not-available');
    const atMs = Date.parse('2026-06-01T09:00:00Z') - Number.parseInt(ago, 10) * 60_000;
    expect(failure).toMatchObject({ weight: 'broken', seen: [{ atMs }] });
  });

  test('with a bootstrap that failed 45 minutes ago is no cause either', async () => {
    const explanation = await runObjects({
      file: '',
      title: '',
      ask: 'nodepool/default',
      events: [
        {
          on: 'NodePool/default',
          reason: 'CSEFailed',
          message: 'NodeClaim default-old11: CSE exited with code 50 (ERR_OUTBOUND_CONN_FAIL)',
          by: 'karpenter',
          ago: '45m',
        },
      ],
      expect: {},
    });
    expect(explanation.explanation).toMatchObject({ verdict: 'healthy', cause: undefined });
    expect(explanation.explanation!.also.map(({ weight }) => weight)).toEqual(['suspicious']);
  });
});

describe('NodeClaims that are not Initialized', () => {
  const standing = async (more: Partial<CorpusCase>) => {
    const one = { file: '', title: '', ask: 'nodepool/default', expect: {}, ...more };
    return (await runObjects(one)).explanation!.standing;
  };

  test.each([
    [1, 'The NodePool is Ready; 1 of its NodeClaims is not Initialized yet.'],
    [14, 'The NodePool is Ready; 14 of its NodeClaims are not Initialized yet.'],
  ])('are all counted: %i', async (count, text) => {
    const claims = Array.from({ length: count }, (_, index) => ({
      name: `default-new${index}`,
      upTo: 'launched' as const,
      age: '1m',
    }));
    expect(await standing({ claims })).toBe(text);
  });

  test('are not those that are being deleted', async () => {
    const message = 'CSE exited with code 50 (ERR_OUTBOUND_CONN_FAIL)';
    const failed = { status: 'False', reason: 'CSEFailed', message };
    const claims = [
      {
        name: 'default-old11',
        upTo: 'launched' as const,
        deleting: '1m',
        conditions: { CSEProvisioned: failed },
      },
    ];
    const event = { on: 'NodePool/default', reason: 'CSEFailed', by: 'karpenter', ago: '2m' };
    const events = [{ ...event, message: `NodeClaim default-old11: ${message}` }];
    expect(await standing({ claims, events })).toBe('The NodePool is Ready.');
  });
});
