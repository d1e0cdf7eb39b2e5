import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { AKSNodeClass } from '../../packages/chandler/src/api/index.ts';
import { aClaim, vmCloud } from './vm-cloud.fixture.ts';

test('a launch for which no image fits is counted under its image family', async () => {
  const fixture = await vmCloud();
  const ready = fixture.nodeClass({ imageFamily: 'AzureLinux' });
  const onlyArm = (ready.status?.images ?? []).map((image) => ({
    ...image,
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: ['arm64'] }],
  }));
  const nodeClass = { ...ready, status: { ...ready.status, images: onlyArm } } as Stored<AKSNodeClass>;
  const launch = fixture.cloud.create({ claim: aClaim('a'), nodeClass: nodeClass }, neverAborted());
  await expect(launch).rejects.toMatchObject({ reason: 'ImageNotFound' });
  expect(fixture.values.get('karpenter_image_selection_error_count{family="AzureLinux"}')).toBe(1);
  await fixture.close();
});
