import { PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { pod, type StageSet, setStage } from '../../../../../test/controllers/stage.ts';
import { podLog } from './pod-log.ts';

let stage: StageSet;
afterEach(() => stage.end());

describe('the log of pods', () => {
  test('logs once when a pending pod is bound and when it runs, also without pod metrics', async () => {
    stage = await setStage({ controllers: [podLog] });
    await stage.apply(PODS, pod('a'));
    await stage.world.clock.advance(2_000);
    const node = { name: 'n', cpu: '4', memory: '8Gi', providerID: 'azure:///n', labels: {}, taints: [] };
    await stage.playground.standins!.addNode(node);
    const said = () => stage.world.lines.filter(({ message }) => message.startsWith('pod '));
    await stage.until('it runs', () => said().some(({ message }) => message === 'pod ready'));
    await stage.world.clock.advance(30_000);
    const fields = { name: 'a', namespace: 'default', node: 'n' };
    expect(said()).toMatchObject([
      { level: 'debug', message: 'pod bound', fields },
      { level: 'debug', message: 'pod ready', fields },
    ]);
    expect(
      [...stage.world.metricSpecs.keys()].filter((name) => name.startsWith('karpenter_pods_bound')),
    ).toEqual([]);
  });
});
