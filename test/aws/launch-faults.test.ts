/** Launches with faults at random, from a seed: throttling, lost answers, refusals, refused records, and processes that die. */
import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { everyNth } from '../part.ts';
import {
  type AwsCloudFixture,
  aClaim,
  awsCloud,
  type CloudProcess,
  removeClaim,
} from './aws-cloud.fixture.ts';

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const FAULTS = [
  'throttle@rate=0.1,operation=ec2:*',
  'lost-request@rate=0.1,operation=ec2:*',
  'lost-response@rate=0.15,operation=ec2:*',
  'late-500@rate=0.1,operation=ec2:CreateFleet',
  // Also of a request that repeats one without an answer.
  'expired-token@rate=0.1,operation=ec2:CreateFleet',
  'forbidden@rate=0.1,operation=ec2:CreateFleet',
  'partial=50@rate=0.2,operation=ec2:DescribeInstances',
  'short-pages@rate=0.2,operation=ec2:DescribeInstances',
];
const SEEDS = [2, 1, 3];
const CLAIMS = 6;

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each(everyNth('seeds', SEEDS, 3))(
  'seed %i: every claim ends with one instance, whatever fails and dies in between',
  async (seed) => {
    const fixture = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] } } });
    open = fixture;
    const { clock, records, server } = fixture;
    const random = numbers(seed);
    let nodeClass = fixture.nodeClass();
    const creationTimestamp = new Date(clock.now()).toISOString();
    const claims = Array.from({ length: CLAIMS }, (_, index) => aClaim(`n${index}`, { creationTimestamp }));
    const settled = new Map<string, string>();
    let process: CloudProcess = fixture.startProcess();
    let deaths = 0;
    for (const fault of FAULTS) server.faults.add(fault);
    records.refuse = () => (random() < 0.1 ? new Error('the API server is away') : undefined);
    const step = async (claim: Stored<NodeClaim>) => {
      const now = process;
      try {
        const made = await now.cloud.create({ claim, nodeClass }, neverAborted());
        // A process that has died writes nothing any more.
        if (made.state !== 'launched' || now !== process) return;
        if (random() < 0.4) records.named.set(claim.metadata.uid, made.instance.providerID);
        if (made.settled && records.named.has(claim.metadata.uid))
          settled.set(claim.metadata.name, made.instance.providerID);
      } catch (error) {
        const known = error instanceof CloudError || String(error).includes('the API server is away');
        if (!known) throw error;
      }
    };
    for (let round = 0; round < 400 && settled.size < CLAIMS; round += 1) {
      if (round === 120) {
        server.faults.clear();
        records.refuse = undefined;
      }
      if (round < 120 && random() < 0.15) {
        process = fixture.startProcess();
        deaths += 1;
        // Then the same request cannot be made again.
        if (random() < 0.3) nodeClass = fixture.nodeClass({ tags: { round: String(round) } });
      }
      const due = claims.filter(({ metadata }) => !settled.has(metadata.name) && random() < 0.8);
      await Promise.all(
        due.map((claim) => {
          const providerID = records.named.get(claim.metadata.uid);
          return step(providerID === undefined ? claim : { ...claim, status: { providerID } });
        }),
      );
      await clock.advance(Math.ceil(random() * 5_000));
    }
    server.faults.clear();
    expect(deaths).toBeGreaterThan(0);
    expect(settled.size, 'all claims have their instance').toBe(CLAIMS);
    expect(new Set(settled.values()).size, 'no two claims share one').toBe(CLAIMS);
    expect(
      fixture
        .running()
        .map(({ id }) => id)
        .sort(),
      'and there is no other',
    ).toEqual([...settled.values()].map((providerID) => providerID.split('/').at(-1)).sort());
    for (const claim of claims)
      await removeClaim(fixture, process.cloud, {
        ...claim,
        status: { providerID: settled.get(claim.metadata.name)! },
      });
    expect(fixture.running()).toEqual([]);
  },
);
