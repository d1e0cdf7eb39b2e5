import type { Stored } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import type { EC2NodeClass, NodeClaim } from '../../packages/chandler/src/api/index.ts';
import type { AwsCloud } from '../../packages/chandler/src/cloud/aws/index.ts';
import { everyNth } from '../part.ts';
import {
  type AwsCloudFixture,
  aClaim,
  awsCloud,
  freshClaims,
  removeClaim,
  settleAll,
} from './aws-cloud.fixture.ts';
import { type DeathMoment, mortalProcess } from './crash.fixture.ts';

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const FEW_TYPES = { catalogue: { types: ['m5.large', 'm5.xlarge'] } };
const MOMENTS: readonly DeathMoment[] = ['before', 'after'];

/** Ends with the first run without a crash; returns the calls at which a run crashed. */
async function killAtEveryCall(
  moment: DeathMoment,
  run: (fixture: AwsCloudFixture, mortal: AwsCloud) => Promise<unknown>,
  goOn: (fixture: AwsCloudFixture, died: string) => Promise<void>,
): Promise<readonly string[]> {
  const diedAt: string[] = [];
  for (let call = 1; call < 200; call += 1) {
    const fixture = await awsCloud({ server: FEW_TYPES });
    open = fixture;
    const { server, records } = fixture;
    const mortal = mortalProcess({ fetch: server.fetch, records }, call, moment);
    await run(fixture, fixture.startProcess(mortal).cloud).catch((error: unknown) => {
      if (!mortal.dead) throw error;
    });
    if (!mortal.dead) return diedAt;
    diedAt.push(mortal.lastCall);
    await goOn(fixture, `${moment} call ${call}, ${mortal.lastCall}`);
    await fixture.close();
  }
  throw new Error('the launch never ends');
}

async function launchAll(
  fixture: AwsCloudFixture,
  cloud: AwsCloud,
  claims: readonly Stored<NodeClaim>[],
  nodeClass: Stored<EC2NodeClass>,
): Promise<readonly string[]> {
  const results = await settleAll(fixture, cloud, claims, nodeClass);
  return claims.map(({ metadata }) => {
    const result = results.get(metadata.name);
    if (result instanceof Error) throw result;
    if (result?.state !== 'launched') throw new Error(`${metadata.name} did not settle`);
    expect(result.instance.claimUid).toBe(metadata.uid);
    return result.instance.providerID;
  });
}

const cases = [
  { what: 'a launch', names: ['a'], moments: MOMENTS },
  // Before a call is after the one before it, but for the first.
  { what: 'a launch of three equal claims', names: ['a', 'b', 'c'], moments: ['after'] },
] as const;

describe.each(everyNth('launches in which a process crashes', cases, 2))(
  'a process that crashes in $what',
  ({ names, moments }) => {
    test.each<DeathMoment>(moments)(
      '%s every call: the next one ends with one instance for each claim',
      async (moment) => {
        const diedAt = await killAtEveryCall(
          moment,
          (fixture, cloud) => launchAll(fixture, cloud, freshClaims(fixture, ...names), fixture.nodeClass()),
          async (fixture, when) => {
            const { cloud } = fixture.startProcess();
            const ids = await launchAll(fixture, cloud, freshClaims(fixture, ...names), fixture.nodeClass());
            expect(new Set(ids).size, when).toBe(names.length);
            expect(fixture.running().length, when).toBe(names.length);
            const claimsOf = fixture
              .running()
              .map(({ tags }) => tags.find(({ Key }) => Key === 'karpenter.sh/nodeclaim')?.Value);
            expect(claimsOf.sort(), when).toEqual([...names]);
          },
        );
        expect(diedAt).toEqual(
          expect.arrayContaining([
            'keep',
            'CreateLaunchTemplate',
            'CreateFleet',
            'DescribeInstances',
            'CreateTags',
          ]),
        );
      },
    );

    test.each<DeathMoment>(moments)(
      '%s every call, and whose class has changed since: the first request is found, and not repeated',
      async (moment) => {
        await killAtEveryCall(
          moment,
          (fixture, cloud) => launchAll(fixture, cloud, freshClaims(fixture, ...names), fixture.nodeClass()),
          async (fixture, when) => {
            const { cloud } = fixture.startProcess();
            const changed = fixture.nodeClass({ tags: { team: 'other' } });
            const ids = await launchAll(fixture, cloud, freshClaims(fixture, ...names), changed);
            expect(new Set(ids).size, when).toBe(names.length);
            expect(fixture.running().length, when).toBe(names.length);
          },
        );
      },
    );

    test.each<DeathMoment>(moments)(
      '%s every call, and then has its claims deleted: nothing is left',
      async (moment) => {
        await killAtEveryCall(
          moment,
          (fixture, cloud) => launchAll(fixture, cloud, freshClaims(fixture, ...names), fixture.nodeClass()),
          async (fixture, when) => {
            const { cloud } = fixture.startProcess();
            for (const claim of freshClaims(fixture, ...names)) await removeClaim(fixture, cloud, claim);
            expect(fixture.running(), when).toEqual([]);
          },
        );
      },
    );
  },
);

test.each(everyNth('moments of a deletion', MOMENTS, 2))(
  'a process that crashes %s every call of a deletion leaves nothing either',
  async (moment) => {
    const claim = aClaim('a');
    await killAtEveryCall(
      moment,
      async (fixture, cloud) => {
        await launchAll(fixture, fixture.startProcess().cloud, [claim], fixture.nodeClass());
        await removeClaim(fixture, cloud, claim);
      },
      async (fixture, when) => {
        await removeClaim(fixture, fixture.startProcess().cloud, claim);
        expect(fixture.running(), when).toEqual([]);
      },
    );
  },
);
