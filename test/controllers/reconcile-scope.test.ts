/** The scope of a reconcile: a signal that aborts its calls, and log lines with its fields. */
import { PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { provisioner } from '../../packages/chandler/src/controllers/index.ts';
import { fullStage, settledPod } from './all-controllers.ts';
import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

describe('over the life of a node', () => {
  test('every write can be aborted, and every line about a claim names controller, object and reconcile', async () => {
    const full = await fullStage();
    stage = full.stage;
    const name = await settledPod(full);
    await stage.admin.delete(PODS, { namespace: 'default', name: 'a' });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.until('the claim is gone', async () => (await stage.list(NODE_CLAIMS)).length === 0);

    expect(stage.writes.length).toBeGreaterThan(10);
    expect(stage.writesWithoutSignal.filter((write) => !ofTheCloud(write))).toEqual([]);
    const lines = stage.world.lines.filter(({ fields }) => fields['nodeclaim'] === name);
    expect(lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['nodeclaim created', 'nodeclaim launched', 'nodeclaim deleted']),
    );
    for (const { fields } of lines)
      expect(fields).toMatchObject({ controller: expect.any(String), reconcile: expect.any(Number) });
    const launched = lines.find(({ message }) => message === 'nodeclaim launched');
    expect(launched?.fields).toMatchObject({ controller: 'nodeclaim.lifecycle', name });
  });
});

describe('a plan that fails', () => {
  test('leaves no metric series behind', async () => {
    stage = await setStage();
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general');
    await stage.apply(PODS, pod('a'));
    const broken = {
      name: 'broken',
      requirements: [],
      capacity: {},
      get offerings(): never {
        throw new TypeError('the offerings of this type cannot be read');
      },
    };
    stage.cloud.instanceTypes = async () => [broken];
    await stage.start([provisioner]);
    const failed = () =>
      stage.world.lines.some(
        ({ message, fields }) =>
          message === 'reconcile failed' && String(fields['error']).includes('offerings'),
      );
    await stage.until('the plan has failed', failed);
    const series = [...stage.world.values.keys()];
    const ofPlans = series.filter((each) => each.includes('scheduling_id='));
    expect(series.some((each) => each.startsWith('karpenter_scheduler_scheduling_duration_seconds'))).toBe(
      true,
    );
    expect(ofPlans).toEqual([]);
  });
});

// ---------------------------------------------------------------------------------------------------

/** Controllers that a cloud brings have a context of their own. */
function ofTheCloud(write: string): boolean {
  return write.includes('/aksnodeclasses');
}
