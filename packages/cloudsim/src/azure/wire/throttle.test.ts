import { describe, expect, test } from 'vitest';
import { COMPUTE, NETWORK, testArm } from '../arm-server.fixture.ts';

describe('throttling', () => {
  test('reads are rejected when the bucket is empty, with Retry-After, and allowed again when it has filled', async () => {
    const azure = await testArm({ throttle: { reads: { burst: 3, perSecond: 0.5 } } });
    const list = () => azure.call('GET', `${NETWORK}/networkInterfaces`);
    const answers = [await list(), await list(), await list(), await list()];
    expect(answers.map((one) => one.status)).toEqual([200, 200, 200, 429]);
    expect(answers.map((one) => one.headers.get('x-ms-ratelimit-remaining-subscription-reads'))).toEqual([
      '2',
      '1',
      '0',
      '0',
    ]);
    expect(answers[3]!.error.code).toBe('SubscriptionRequestsThrottled');
    expect(answers[3]!.headers.get('retry-after')).toBe('2');
    await azure.advance(1000);
    expect((await list()).status).toBe(429);
    await azure.advance(1000);
    expect((await list()).status).toBe(200);
  });

  test('the compute provider has separate buckets and returns its own code', async () => {
    const azure = await testArm({ throttle: { putVm: { burst: 1, perSecond: 1 } } });
    await azure.nic('aks-a');
    await azure.advance(100);
    await azure.vm('aks-a');
    const refused = await azure.vm('aks-b');
    expect([refused.status, refused.error.code]).toEqual([429, 'OperationNotAllowed']);
    expect(refused.error.details?.[0]?.code).toBe('TooManyRequests');
    expect(refused.headers.get('x-ms-ratelimit-remaining-resource')).toContain('Microsoft.Compute/PutVM');
    expect(azure.server.resources.vms()).toHaveLength(1);
  });

  test('the PUTs of one VM are limited', async () => {
    const azure = await testArm({ throttle: { putOneVm: { burst: 2, perSecond: 0.1 } } });
    await azure.launch('aks-a');
    expect((await azure.vm('aks-a')).status).toBe(200);
    expect((await azure.vm('aks-a')).status).toBe(429);
  });

  test('without the option nothing is throttled', async () => {
    const azure = await testArm();
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => azure.call('GET', `${COMPUTE}/virtualMachines`)),
    );
    expect(answers.filter((one) => one.status !== 200)).toEqual([]);
  });
});

describe('long operations', () => {
  test('are retained for some time and then forgotten', async () => {
    const azure = await testArm();
    const put = await azure.nic('aks-a');
    await azure.advance(100);
    expect((await azure.operation(put)).json['status']).toBe('Succeeded');
    await azure.advance(4_000_000);
    await azure.nic('aks-b');
    await azure.advance(100);
    expect((await azure.operation(put)).status).toBe(404);
  });

  test('return Retry-After when they last seconds', async () => {
    const quick = await testArm();
    expect((await quick.nic('aks-a')).headers.get('retry-after')).toBeNull();
    const slow = await testArm({ latencies: { vmCreateMs: 30_000 } });
    await slow.nic('aks-a');
    await slow.advance(100);
    expect((await slow.vm('aks-a')).headers.get('retry-after')).toBe('10');
  });

  test('of deletions can also be followed by their Location', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    await azure.advance(100);
    const deleted = await azure.call('DELETE', `${NETWORK}/networkInterfaces/aks-a`);
    const location = deleted.headers.get('location')!;
    expect((await azure.call('GET', location)).status).toBe(202);
    await azure.advance(100);
    expect((await azure.call('GET', location)).status).toBe(204);
  });
});
