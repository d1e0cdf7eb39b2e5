/** What a cloud does with the NodeOverlays of a launch: it chooses from the types that the plan was made with. */
import type { Stored } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import { expect } from 'vitest';
import type { NodeClaim, NodePool } from '../../packages/chandler/src/api/index.ts';
import type { LaunchRequest } from '../../packages/chandler/src/cloud/index.ts';

import { type CloudFixture, kindOf, launch, remove } from './drive.ts';
import type { DeclareCase } from './gaps.ts';

export function appliesOverlays(test: DeclareCase, make: () => Promise<CloudFixture>): void {
  test('a resource of an overlay is launched for a claim that requests it, and the instance has it', async () => {
    const fixture = await make();
    const usual = await usualType(fixture);
    const claim = requesting(fixture.claim('a'), '2');
    expect(await kindOf(launch(fixture, claim))).toBe('InsufficientCapacity');
    const more = overlaid(claim, usual, { capacity: { [DEVICE]: '3' } });
    const { instance } = await launch(fixture, claim, fixture.cloud, more);
    expect(instance.instanceType).not.toBe(usual);
    expect(instance).toMatchObject({ capacity: { [DEVICE]: '3' }, allocatable: { [DEVICE]: '3' } });
    const { instance: resumed } = await launch(fixture, claim, fixture.restart(), more);
    expect(resumed).toMatchObject({ capacity: { [DEVICE]: '3' }, allocatable: { [DEVICE]: '3' } });
  });

  test('an overlay with less of a resource than the claim requests does not help', async () => {
    const fixture = await make();
    const claim = requesting(fixture.claim('a'), '2');
    const more = overlaid(claim, 'none', { capacity: { [DEVICE]: '1' } });
    expect(await kindOf(launch(fixture, claim, fixture.cloud, more))).toBe('InsufficientCapacity');
  });

  test('the prices of overlays decide between the types that a claim allows', async () => {
    const fixture = await make();
    const usual = await usualType(fixture);
    const claim = fixture.claim('a');
    const more = overlaid(claim, usual, { price: '0.0001' });
    expect((await launch(fixture, claim, fixture.cloud, more)).instance.instanceType).not.toBe(usual);
  });
}

// ---------------------------------------------------------------------------------------------------

const DEVICE = 'example.com/device';

/** What is launched without overlays. */
async function usualType(fixture: CloudFixture): Promise<string> {
  const claim = fixture.claim('usual');
  const { instance } = await launch(fixture, claim);
  await remove(fixture, claim);
  return instance.instanceType;
}

function requesting(claim: Stored<NodeClaim>, devices: string): Stored<NodeClaim> {
  return { ...claim, spec: { ...claim.spec, resources: { requests: { [DEVICE]: devices } } } };
}

/** An overlay of every type but one. */
function overlaid(
  { spec }: NodeClaim,
  except: string,
  change: object,
): Pick<LaunchRequest, 'nodePool' | 'overlays'> {
  const { nodeClassRef } = spec;
  const nodePool = stored({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: { template: { spec: { nodeClassRef, requirements: [] } } },
  }) as Stored as Stored<NodePool>;
  const requirements = [
    { key: 'node.kubernetes.io/instance-type', operator: 'NotIn' as const, values: [except] },
  ];
  return { nodePool, overlays: [{ metadata: { name: 'other' }, spec: { requirements, ...change } }] };
}
