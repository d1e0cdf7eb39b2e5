/** What `why nodeclaim/x` makes of the events of a NodeClaim that no longer exists and failed nowhere for good. */
import { describe, expect, test } from 'vitest';

import { runObjects } from './corpus.ts';
import { type EventWords, NOW_MS } from './objects.ts';

const REFUSED: EventWords = {
  on: 'NodeClaim/default-old11',
  reason: 'SKUNotAvailable',
  message: 'SkuNotAvailable: The requested size is not available',
  by: 'karpenter',
  ago: '50m',
};
const REFUSED_ON_POOL: EventWords = {
  ...REFUSED,
  on: 'NodePool/default',
  message: `NodeClaim default-old11 event: ${REFUSED.message}`,
};
const CSE_FAILED: EventWords = {
  ...REFUSED,
  reason: 'CSEFailed',
  message: 'CSE exited with code 50 (ERR_OUTBOUND_CONN_FAIL)',
};

function moved(type: string, ago: string): EventWords {
  const message = `Status condition transitioned, Type: ${type}, Status: Unknown -> True, Reason: ${type}`;
  return { on: 'NodeClaim/default-old11', type: 'Normal', reason: type, message, by: 'karpenter', ago };
}

async function ask(...events: readonly EventWords[]) {
  const { explanation } = await runObjects({
    file: '',
    title: '',
    ask: 'nodeclaim/default-old11',
    events,
    expect: {},
  });
  return explanation!;
}

const AT_MS = NOW_MS - 50 * 60_000;

describe('a failure of a NodeClaim that is gone', () => {
  test.each([
    ['on the NodeClaim', 'azure.sku-not-available', [REFUSED]],
    ['on its NodePool', 'azure.sku-not-available', [REFUSED_ON_POOL]],
    ['in its bootstrap', 'cse.50', [CSE_FAILED, moved('Launched', '49m')]],
    ['after it was launched', 'azure.sku-not-available', [moved('Launched', '55m'), REFUSED]],
  ])('%s is the cause, with its time', async (_, id, events) => {
    const { cause } = await ask(...events);
    expect(cause).toMatchObject({ id, weight: 'broken', seen: [{ atMs: AT_MS }] });
  });

  test.each([
    ['that was launched', 'azure.sku-not-available', [REFUSED, moved('Launched', '49m')]],
    ['that registered', 'azure.sku-not-available', [REFUSED, moved('Registered', '48m')]],
    [
      'that registered, with its NodePool',
      'azure.sku-not-available',
      [REFUSED_ON_POOL, moved('Registered', '48m')],
    ],
    ['that registered after its bootstrap', 'cse.50', [CSE_FAILED, moved('Registered', '48m')]],
    [
      'that was disrupted',
      'azure.sku-not-available',
      [
        REFUSED,
        { ...moved('Ready', '2m'), reason: 'DisruptionTerminating', message: 'Disrupting NodeClaim: Empty' },
      ],
    ],
  ])('and %s later is over', async (_, id, events) => {
    const { cause, also } = await ask(...events);
    expect(cause).toBeUndefined();
    expect(also).toMatchObject([{ id, weight: 'suspicious', seen: [{ atMs: AT_MS, isOver: true }] }]);
  });
});
