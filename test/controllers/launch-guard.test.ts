import { afterEach, describe, expect, it } from 'vitest';
import { CloudError } from '../../src/cloud/errors.ts';
import { DEFAULT_SETTINGS } from '../../src/controllers/context.ts';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS, PODS } from '../../src/kube/index.ts';
import { type FullStage, fullStage } from './everyone.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const claims = async () => (await full.stage.list(NODE_CLAIMS)).length;
const reasons = async (name: string) => (await full.stage.eventsOf(name)).map(({ reason }) => reason);
/** No two of them fit on one machine. */
const large = (name: string) =>
  pod(name, { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '9' } } }] });

describe('the guard against runaway launches', () => {
  it('has one budget for pools of fixed size and for pods that wait', async () => {
    const gates = { ...DEFAULT_SETTINGS.gates, StaticCapacity: true };
    full = await fullStage({ settings: { gates, maxLaunchesPerMinute: 3 } });
    const { stage } = full;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('fixed', { replicas: 2 }));
    await stage.until('the fixed pool has its claims', async () => (await claims()) === 2);
    await stage.apply(NODE_POOLS, pool('general'));
    for (const name of ['a', 'b', 'c']) await stage.apply(PODS, large(name));
    await stage.world.clock.advance(20_000);
    expect(await claims()).toBe(3);
    expect(await reasons('general')).toContain('LaunchesLimited');
    await stage.until('all are there in the minutes after', async () => (await claims()) === 5, 180_000);
  });

  it('creates nothing more while too many fail to launch, says so, and goes on when they succeed', async () => {
    full = await fullStage({ settings: { maxFailingLaunches: 1 } });
    const { stage } = full;
    stage.cloud.failures = Array.from({ length: 40 }, () => new CloudError('CreateFailed', 'out of order'));
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('general'));
    await stage.apply(PODS, large('a'));
    await stage.until('the first claim is there', async () => (await claims()) === 1);
    await stage.world.clock.advance(5_000);
    await stage.apply(PODS, large('b'));
    await stage.until('it is said', async () => (await reasons('general')).includes('LaunchesStopped'));
    expect(await claims()).toBe(1);
    stage.cloud.failures = [];
    await stage.until('the second is there', async () => (await claims()) === 2, 180_000);
  });
});
