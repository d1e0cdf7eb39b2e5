/**
 * What every cloud has to keep, whatever is behind it. A cloud joins by giving a fixture; what it cannot do it skips
 * with a reason. Everything here is said in the words of `cloud/cloud.ts`.
 */

import type { Stored } from '@chandler/kube';
import { parseQuantity } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  type Cloud,
  type CloudErrorKind,
  repairPolicyProblems,
} from '../../packages/chandler/src/cloud/index.ts';

import {
  type CloudFault,
  type CloudFixture,
  kindOf,
  type Launched,
  launch,
  MAX_STEPS,
  named,
  promised,
  remove,
} from './drive.ts';

import { type DeclareCase, declareCases, type Gaps } from './gaps.ts';
import { appliesOverlays } from './overlays.contract.ts';

export type { CloudFault, CloudFixture } from './drive.ts';

/** @param gaps what the cloud behind the fixture cannot show, by name of the case. */
export function cloudContract(name: string, make: () => Promise<CloudFixture>, gaps: Gaps = {}): void {
  describe(`the contract of a cloud: ${name}`, () => {
    let open: CloudFixture | undefined;
    const fixture = async () => {
      open = await make();
      return open;
    };
    afterEach(async () => {
      await open?.close();
      open = undefined;
    });
    declareCases(gaps, (declareCase) => {
      describesItself(declareCase, fixture);
      launches(declareCase, fixture);
      appliesOverlays(declareCase, fixture);
      survives(declareCase, fixture);
      deletes(declareCase, fixture);
      refuses(declareCase, fixture);
    });
  });
}

// ---------------------------------------------------------------------------------------------------

type Make = () => Promise<CloudFixture>;

function describesItself(test: DeclareCase, make: Make): void {
  test('it has a name, node classes, and repair policies that wait for a known time', async () => {
    const { cloud } = await make();
    expect(cloud.name).toMatch(/^[a-z]+$/);
    expect(cloud.nodeClasses.length).toBeGreaterThan(0);
    for (const { group, version, kind, plural } of cloud.nodeClasses) {
      expect([group, version, kind, plural].every((part) => part !== '')).toBe(true);
    }
    expect(repairPolicyProblems(cloud.repairPolicies)).toEqual([]);
    expect(cloud.ownership.providerIdPrefix).toMatch(/^[a-z]+:\/\//);
    expect(new Set(cloud.wellKnownLabels).size).toBe(cloud.wellKnownLabels.length);
  });

  test('its instance types can be scheduled on: names, capacity, and offerings with zone and capacity type', async () => {
    const { cloud, nodeClass } = await make();
    const types = await cloud.instanceTypes({ nodeClass }, neverAborted());
    expect(types.length).toBeGreaterThan(0);
    expect(new Set(types.map((type) => type.name)).size).toBe(types.length);
    for (const type of types) {
      for (const resource of ['cpu', 'memory', 'pods']) {
        const amount = type.capacity[resource];
        expect(amount, `${type.name} ${resource}`).toBeDefined();
        expect(parseQuantity(amount!).isZero(), `${type.name} ${resource}`).toBe(false);
      }
      for (const offering of type.offerings) {
        const keys = offering.requirements.map((requirement) => requirement.key);
        expect(keys, type.name).toEqual(
          expect.arrayContaining(['karpenter.sh/capacity-type', 'topology.kubernetes.io/zone']),
        );
        expect(offering.price, type.name).toBeGreaterThanOrEqual(0);
      }
    }
  });
}

function launches(test: DeclareCase, make: Make): void {
  test('a claim becomes exactly one instance, and describes it', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    const { instance } = await launch(fixture, claim);
    expect((await fixture.holdings()).machines).toBe(1);
    expect(instance).toMatchObject({
      claimUid: claim.metadata.uid,
      claimName: 'a',
      nodePool: claim.metadata.labels?.['karpenter.sh/nodepool'],
      deleting: false,
    });
    expect(instance.labels).toMatchObject({
      'node.kubernetes.io/instance-type': instance.instanceType,
      'topology.kubernetes.io/zone': instance.zone,
      'karpenter.sh/capacity-type': instance.capacityType,
    });
    for (const resource of ['cpu', 'memory', 'pods']) {
      const [has, left] = [instance.capacity[resource], instance.allocatable[resource]].map((each) =>
        parseQuantity(each ?? 0),
      );
      expect(left!.compare(has!), resource).toBeLessThanOrEqual(0);
      expect(left!.isZero(), resource).toBe(false);
    }
  });

  test('no step waits for the instance: each returns before any time has passed', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const beforeMs = fixture.nowMs();
      const step = await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass }, neverAborted());
      expect(fixture.nowMs()).toBe(beforeMs);
      if (step.state === 'launched' && step.settled) return;
      expect(step.retryAfterMs).toBeGreaterThan(0);
      await fixture.advance(step.retryAfterMs!);
    }
    throw new Error('it did not settle');
  });

  test('the provider id is known from the first accepted request on, and stays', async () => {
    const fixture = await make();
    const { steps } = await launch(fixture, fixture.claim('a'));
    const launched = steps.filter((step): step is Launched => step.state === 'launched');
    expect(new Set(launched.map((step) => step.instance.providerID)).size).toBe(1);
    expect(launched.length).toBeGreaterThan(1);
    expect(steps.findLastIndex((step) => step.state === 'waiting')).toBeLessThan(steps.indexOf(launched[0]!));
  });

  test('every stage it records is one of the journey, with the current time', async () => {
    const fixture = await make();
    const startMs = fixture.nowMs();
    const { steps } = await launch(fixture, fixture.claim('a'));
    const stages = steps.flatMap((step) => step.stages);
    expect(stages.length).toBeGreaterThan(3);
    for (const stage of stages) {
      expect(fixture.stages).toContain(stage.name);
      expect(stage.atMs).toBeGreaterThanOrEqual(startMs);
      expect(stage.atMs).toBeLessThanOrEqual(fixture.nowMs());
    }
  });

  test('a reboot is accepted, or the cloud says that it reboots nothing', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    const { instance } = await launch(fixture, claim);
    const kind = await kindOf(fixture.cloud.reboot(named(claim, instance), 'operation-1', neverAborted()));
    expect(['no error', 'RebootNotImplemented']).toContain(kind);
  });

  test('a call whose signal is aborted has no effect, and fails with the reason of the abort', async () => {
    const { cloud, claim: aClaim, nodeClass, holdings } = await make();
    const reason = new Error('stopped');
    const signal = AbortSignal.abort(reason);
    const claim = aClaim('a');
    const calls = [
      cloud.create({ claim, nodeClass }, signal),
      cloud.delete(claim, signal),
      cloud.instanceTypes({ nodeClass }, signal),
      cloud.list(signal),
    ];
    for (const call of await Promise.allSettled(calls)) expect(call).toEqual({ status: 'rejected', reason });
    expect(await holdings()).toEqual({ machines: 0, parts: 0 });
  });

  test('it is found by its id, and is in the list as soon as its request was accepted', async () => {
    const fixture = await make();
    const claims = [fixture.claim('a'), fixture.claim('b', { standalone: true })];
    for (const claim of claims) {
      const { instance } = await promised(fixture, claim);
      const listed = await fixture.cloud.list(neverAborted());
      expect(listed.map((each) => each.providerID.toLowerCase())).toContain(
        instance.providerID.toLowerCase(),
      );
      expect(await fixture.cloud.get(instance.providerID, neverAborted())).toMatchObject({
        claimUid: claim.metadata.uid,
        instanceType: instance.instanceType,
        zone: instance.zone,
      });
      await launch(fixture, claim);
    }
    await fixture.advance(15 * 60_000);
    const later = await fixture.restart().list(neverAborted());
    expect(later.map((each) => each.claimUid).sort()).toEqual(
      claims.map((claim) => claim.metadata.uid).sort(),
    );
  });

  test('an instance that was launched a moment ago has not drifted', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    const { instance } = await launch(fixture, claim);
    const launched: Stored<NodeClaim> = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...instance.annotations } },
      status: {
        providerID: instance.providerID,
        ...(instance.imageID === undefined ? {} : { imageID: instance.imageID }),
      },
    };
    expect(
      await fixture.cloud.drift({ claim: launched, nodeClass: fixture.nodeClass }, neverAborted()),
    ).toBeUndefined();
  });
}

function survives(test: DeclareCase, make: Make): void {
  test('launching a claim again that has an instance changes nothing', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    const first = await launch(fixture, claim);
    const second = await launch(fixture, claim);
    const third = await launch(fixture, claim, fixture.restart());
    expect(second.instance.providerID).toBe(first.instance.providerID);
    expect(third.instance.providerID).toBe(first.instance.providerID);
    expect((await fixture.holdings()).machines).toBe(1);
  });

  test('a process that restarts after every step ends with one instance', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const step = await fixture.restart().create({ claim, nodeClass: fixture.nodeClass }, neverAborted());
      if (step.state === 'launched' && step.settled) break;
      await fixture.advance(step.retryAfterMs ?? 1000);
    }
    expect((await fixture.holdings()).machines).toBe(1);
  });

  test('two processes that launch the same claim at once create one instance', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    const [one, other] = [fixture.cloud, fixture.restart()];
    const settled = new Set<Cloud>();
    for (let rounds = 0; rounds < MAX_STEPS && settled.size < 2; rounds++) {
      const steps = await Promise.allSettled(
        [one, other].map((cloud) => cloud.create({ claim, nodeClass: fixture.nodeClass }, neverAborted())),
      );
      steps.forEach((step, at) => {
        const done = step.status === 'fulfilled' && step.value.state === 'launched' && step.value.settled;
        if (done) settled.add([one, other][at]!);
      });
      await fixture.advance(3000);
    }
    expect(settled.size).toBe(2);
    expect((await fixture.holdings()).machines).toBe(1);
    await remove(fixture, claim);
    expect(await fixture.holdings()).toEqual({ machines: 0, parts: 0 });
  });

  const faults: readonly (readonly [CloudFault, CloudErrorKind])[] = [
    ['unauthorized', 'Unauthorized'],
    ['unreachable', 'Unreachable'],
    ['answerLost', 'Unreachable'],
  ];
  for (const [way, kind] of faults)
    test(`${way} is reported as ${kind}, and the launch continues when it is over, with one instance`, async () => {
      const fixture = await make();
      const claim = fixture.claim('a');
      await fixture.break(way);
      expect(await kindOf(launch(fixture, claim))).toBe(kind);
      await fixture.repair();
      await fixture.advance(5000);
      await launch(fixture, claim);
      expect((await fixture.holdings()).machines).toBe(1);
      await remove(fixture, claim);
      expect(await fixture.holdings()).toEqual({ machines: 0, parts: 0 });
    });

  test('throttled calls are waited out, not reported as a failure', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    await fixture.break('throttled');
    const waits: number[] = [];
    while (waits.length < 20 && Math.max(0, ...waits) < 20_000) {
      const step = await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass }, neverAborted());
      expect(step.state).toBe('waiting');
      waits.push(step.retryAfterMs ?? 0);
      await fixture.advance(step.retryAfterMs ?? 0);
    }
    expect(Math.max(...waits), 'as long as the cloud said').toBeGreaterThanOrEqual(20_000);
    await fixture.repair();
    await launch(fixture, claim);
    expect((await fixture.holdings()).machines).toBe(1);
  });
}

function deletes(test: DeclareCase, make: Make): void {
  test('an instance and all its parts are deleted, and deletion reports when it is gone', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    const { instance } = await launch(fixture, claim);
    await remove(fixture, named(claim, instance));
    expect(await fixture.holdings()).toEqual({ machines: 0, parts: 0 });
    expect(await fixture.cloud.delete(named(claim, instance), neverAborted())).toEqual({ state: 'gone' });
    expect(await kindOf(fixture.cloud.get(instance.providerID, neverAborted()))).toBe('NotFound');
    expect(await fixture.cloud.list(neverAborted())).toEqual([]);
  });

  test('a claim that was never launched has nothing to delete', async () => {
    const fixture = await make();
    expect(await fixture.cloud.delete(fixture.claim('never'), neverAborted())).toEqual({ state: 'gone' });
  });

  test('a launch that was abandoned after any step leaves nothing', async () => {
    const fixture = await make();
    for (let upTo = 1; upTo < MAX_STEPS; upTo++) {
      const claim = fixture.claim(`a${upTo}`);
      let settled = false;
      for (let steps = 0; steps < upTo && !settled; steps++) {
        const step = await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass }, neverAborted());
        settled = step.state === 'launched' && step.settled;
        if (!settled) await fixture.advance(step.retryAfterMs ?? 1000);
      }
      await remove(fixture, claim, fixture.restart());
      expect(await fixture.holdings(), `after ${upTo} steps`).toEqual({ machines: 0, parts: 0 });
      if (settled) return;
    }
  });
}

function refuses(test: DeclareCase, make: Make): void {
  test('the instance of another claim of the same name is neither taken over nor deleted', async () => {
    const fixture = await make();
    const [mine, other] = [fixture.claim('a', { uid: 'mine' }), fixture.claim('a', { uid: 'other' })];
    const { instance } = await launch(fixture, mine);
    expect(
      await kindOf(fixture.restart().create({ claim: other, nodeClass: fixture.nodeClass }, neverAborted())),
    ).toBe('NameTaken');
    expect(await fixture.cloud.delete(other, neverAborted())).toEqual({ state: 'gone' });
    expect((await fixture.cloud.get(instance.providerID, neverAborted())).claimUid).toBe('mine');
  });

  test('an unknown instance type is reported as no capacity, and leaves nothing', async () => {
    const fixture = await make();
    const claim = fixture.claim('a', { instanceType: 'no-such-type' });
    expect(await kindOf(launch(fixture, claim))).toBe('InsufficientCapacity');
    expect(await fixture.holdings()).toEqual({ machines: 0, parts: 0 });
  });

  test('when nothing is available it ends in no capacity, with what failed no longer offered', async () => {
    const fixture = await make();
    const claim = fixture.claim('a');
    await fixture.break('noCapacity');
    const kinds: string[] = [];
    for (let attempt = 0; attempt < 40 && kinds.at(-1) !== 'InsufficientCapacity'; attempt++) {
      kinds.push(await kindOf(launch(fixture, claim)));
      await fixture.advance(1000);
    }
    expect(kinds.at(-1)).toBe('InsufficientCapacity');
    expect(kinds.slice(0, -1).every((kind) => kind === 'CreateFailed')).toBe(true);
    await remove(fixture, claim);
    expect(await fixture.holdings()).toEqual({ machines: 0, parts: 0 });
  });

  test('an invalid id, or one of another cloud, is not found', async () => {
    const { cloud } = await make();
    expect(await kindOf(cloud.get('nonsense', neverAborted()))).toBe('NotFound');
    expect(await kindOf(cloud.get('other:///zone/i-0123456789', neverAborted()))).toBe('NotFound');
  });
}
