import type { KubeClient } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from './resources.table.ts';
import { sameJson, writeStatus } from './status-patch.ts';

describe('a status that the API server has stored', () => {
  const capacity = { cpu: '4', memory: '16Gi', pods: '110' };
  const stored = { pods: '110', memory: '16Gi', cpu: '4' };

  test('is not written again because its keys are in another order', async () => {
    const object = {
      metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
      status: { capacity: stored },
    };
    let writes = 0;
    const client = { patchStatus: async () => void writes++ } as unknown as KubeClient;
    expect(await writeStatus(client, NODE_CLAIMS, object as never, undefined, { capacity })).toBe(object);
    expect(writes).toBe(0);
    await writeStatus(client, NODE_CLAIMS, object as never, undefined, {
      capacity: { ...capacity, pods: '30' },
    });
    expect(writes).toBe(1);
  });

  test('differs where a value or the order of a list differs', () => {
    expect(sameJson({ a: [1, 2], b: { x: 1, y: 2 } }, { b: { y: 2, x: 1 }, a: [1, 2] })).toBe(true);
    expect(sameJson({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(sameJson(undefined, {})).toBe(false);
  });
});
