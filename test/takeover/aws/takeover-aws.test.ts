import type { KubeObject, ResourceRef } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { EC2_NODE_CLASSES, NODE_CLAIMS } from '../../../packages/chandler/src/api/index.ts';
import { conditionOf } from '../../e2e/story.ts';
import { inFull } from '../../part.ts';
import { all, everything, writtenTo } from '../everything.ts';
import { activeInstances, type EksCluster, eksCluster } from './cloud.ts';
import { CLASS_HASH, classAnnotations, PROFILE_NAME } from './objects.ts';

const HOUR_MS = 60 * 60_000;
const whole = inFull('hours with instance profiles and with older hashes of Karpenter');
const OLD_PROFILE = 'playground_1111111111111111111';
const UNUSED_PROFILE = 'playground_2222222222222222222';

let cluster: EksCluster;
afterEach(() => cluster.stage.end());

async function annotateAll(resource: ResourceRef, annotations: Readonly<Record<string, string>>) {
  const { stage } = cluster;
  for (const { metadata } of await all(stage, resource))
    await stage.inTime(
      stage.admin.patch(
        resource,
        { name: metadata.name! },
        { type: 'merge', patch: { metadata: { annotations } } },
      ),
    );
}

async function takeOver(ms: number): Promise<void> {
  const { stage, env } = cluster;
  const operator = stage.operator(env);
  await stage.inTime(operator.start());
  await stage.until('it leads', () => operator.isLeading);
  await stage.world.clock.advance(ms);
  await stage.inTime(operator.stop());
}

const templateNames = () =>
  [...cluster.server.account.launchTemplates.values()].map(({ template }) => template.LaunchTemplateName!);

test("Karpenter's launch templates are deleted when no launch uses them; those of others stay, and so do the instances", async () => {
  cluster = await eksCluster(5);
  const { stage, server, calls, profile } = cluster;
  // Left over from an image of last month, and one that is not of Karpenter.
  await stage.inTime(calls.createTemplate('general', profile, 'karpenter.k8s.aws/1'));
  await stage.inTime(calls.createTemplate('general', profile, 'of-a-node-group'));
  const instances = () => structuredClone(activeInstances(server).map(({ serialLines: _, ...rest }) => rest));
  const before = instances();
  expect(templateNames()).toHaveLength(4);
  await takeOver(10 * 60_000);
  expect(templateNames()).toEqual(['of-a-node-group']);
  expect(instances()).toEqual(before);
});

test.runIf(whole)(
  'instance profiles of Karpenter are kept while a class or a claim names them, and deleted after an hour without',
  async () => {
    cluster = await eksCluster(5);
    const { stage, server, calls, profile, classUid, names } = cluster;
    for (const name of [OLD_PROFILE, UNUSED_PROFILE]) await stage.inTime(calls.createProfile(name, classUid));
    // The class had another role when this one was launched.
    const key = { name: names[0]! };
    const patch = { metadata: { annotations: { [PROFILE_NAME]: OLD_PROFILE } } };
    await stage.inTime(stage.admin.patch(NODE_CLAIMS, key, { type: 'merge', patch }));
    await takeOver(HOUR_MS / 2);
    expect([...server.account.instanceProfiles.keys()].sort()).toEqual(
      [profile, OLD_PROFILE, UNUSED_PROFILE].sort(),
    );
    await takeOver(2 * HOUR_MS);
    expect([...server.account.instanceProfiles.keys()].sort()).toEqual([profile, OLD_PROFILE].sort());
    const [nodeClass] = await all(stage, EC2_NODE_CLASSES);
    expect((nodeClass!['status'] as { instanceProfile: string }).instanceProfile).toBe(profile);
  },
);

test.runIf(whole)(
  'hashes as Karpenter 1.14.1 writes them become those of its successor, and nothing else is written',
  async () => {
    cluster = await eksCluster(5);
    const { stage } = cluster;
    await annotateAll(NODE_CLAIMS, classAnnotations('v5'));
    await annotateAll(EC2_NODE_CLASSES, classAnnotations('v5'));
    await stage.world.clock.advance(2 * HOUR_MS);
    const before = await everything(stage, EC2_NODE_CLASSES);
    stage.forget();
    await takeOver(HOUR_MS);
    const hashesOnly = writtenTo(stage).filter((line) => !line.includes('ec2nodeclass-hash'));
    expect(hashesOnly).toEqual([]);
    const restamped = [...before].map(([key, object]) => {
      if (!/^(nodeclaims|ec2nodeclasses)\//.test(key)) return [key, object] as const;
      const annotations = { ...object.metadata.annotations, ...classAnnotations('v6') };
      return [key, withoutVersion({ ...object, metadata: { ...object.metadata, annotations } })] as const;
    });
    const after = [...(await everything(stage, EC2_NODE_CLASSES))].map(
      ([key, object]) =>
        [key, /^(nodeclaims|ec2nodeclasses)\//.test(key) ? withoutVersion(object) : object] as const,
    );
    expect(after).toEqual(restamped);
  },
);

test('a class that was changed while no controller ran drifts the nodes of Karpenter 1.14.1, and their hashes stay', async () => {
  cluster = await eksCluster(5);
  const { stage } = cluster;
  await annotateAll(NODE_CLAIMS, classAnnotations('v5'));
  await annotateAll(EC2_NODE_CLASSES, classAnnotations('v5'));
  const patch = { spec: { detailedMonitoring: true } };
  await stage.inTime(stage.admin.patch(EC2_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch }));
  await takeOver(10 * 60_000);
  for (const claim of await all(stage, NODE_CLAIMS)) {
    expect(conditionOf(claim, 'Drifted')?.reason).toBe('NodeClassDrift');
    const { [CLASS_HASH]: hash, [`${CLASS_HASH}-version`]: version } = claim.metadata.annotations!;
    expect({ hash, version }).toEqual({ hash: classAnnotations('v5')[CLASS_HASH], version: 'v6' });
  }
});

// ---------------------------------------------------------------------------------------------------

/** Without what every write changes. */
function withoutVersion(object: KubeObject): KubeObject {
  const {
    resourceVersion: _,
    managedFields: __,
    ...metadata
  } = object.metadata as KubeObject['metadata'] & {
    managedFields?: unknown;
  };
  return { ...object, metadata };
}
