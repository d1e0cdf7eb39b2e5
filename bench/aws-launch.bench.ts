/**
 * 2,000 claims launched at once against the simulated EC2 with its documented limits, through the SDK,
 * in virtual time. Twice: with a request of their own for every claim, where the bucket of CreateFleet is the minimum, and
 * with equal requests, which become a few. The server is in the same process and counts.
 */
import { parseArgs } from 'node:util';
import { EC2_LIMITS } from '@chandler/cloudsim/aws/testing';
import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import type { NodeClaim } from '../packages/chandler/src/api/index.ts';
import { awsCallsOf } from '../packages/chandler/src/cloud/aws/testing.ts';
import { type AwsCloudFixture, aClaim, awsCloud, freshClaims } from '../test/aws/aws-cloud.fixture.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

const { values } = parseArgs({ options: { claims: { type: 'string', default: '2000' } } });
const CLAIMS = Number(values.claims);
/** Throttled requests that are still few: in a thousand of all. */
const MAX_THROTTLED_PER_1000 = 5;
/** Of instances, as they are in EC2. */
const LATENCIES = { consistencyMs: 5_000, pendingMs: 8_000 };

interface Run {
  readonly virtualSeconds: number;
  readonly seconds: number;
  readonly requests: number;
  readonly boundSeconds: number;
  readonly calls: number;
  readonly throttled: number;
  readonly checked: readonly string[];
}

const distinct = await run((fixture) => distinctClaims(fixture));
const equal = await run((fixture) =>
  freshClaims(fixture, ...Array.from({ length: CLAIMS }, (_, at) => `c${at}`)),
);
report({
  name: 'aws-launch',
  figures: {
    claims: CLAIMS,
    ...named('distinct', distinct),
    ...named('equal', equal),
    residentMb: rounded(process.memoryUsage().rss / 2 ** 20),
  },
  goals: {
    distinctVirtualSeconds: atMost(distinct.virtualSeconds, distinct.boundSeconds * 1.1),
  },
  checked: [
    assertWork(distinct.requests >= CLAIMS, 'every claim had a request of its own'),
    assertWork(
      distinct.virtualSeconds <= distinct.boundSeconds * 1.1,
      'the launches took at most 10 % longer than the bucket demands',
    ),
    ...distinct.checked,
    ...equal.checked,
  ],
});

// ---------------------------------------------------------------------------------------------------

async function run(claimsOf: (fixture: AwsCloudFixture) => readonly Stored<NodeClaim>[]): Promise<Run> {
  const fixture = await awsCloud({
    server: { throttle: true, latencies: LATENCIES, callLogLimit: 100 * CLAIMS },
  });
  const { world, server, records } = fixture;
  // Those of the fixture do not wait for the rate limiter.
  const { cloud } = fixture.startProcess({ around: () => awsCallsOf(fixture.aws) });
  const nodeClass = fixture.nodeClass();
  const claims = claimsOf(fixture);
  const before = server.calls().length;
  const startedMs = performance.now();
  const startMs = world.clock.monotonic();
  const ids = new Map<string, string>();
  const launch = async (claim: Stored<NodeClaim>) => {
    for (;;) {
      const step = await cloud.create({ claim, nodeClass }, neverAborted());
      if (step.state === 'launched') records.named.set(claim.metadata.uid, step.instance.providerID);
      if (step.state === 'launched' && step.settled) {
        ids.set(claim.metadata.name, step.instance.providerID);
        return;
      }
      await world.clock.sleep(step.retryAfterMs ?? 1000);
    }
  };
  let running = true;
  const all = Promise.all(claims.map(launch)).finally(() => {
    running = false;
  });
  all.catch(() => undefined);
  await world.clock.until(() => !running, 100);
  await all;
  const calls = server.calls().slice(before);
  const throttled = calls.filter(({ code }) => code === 'RequestLimitExceeded').length;
  const requests = calls.filter(({ action, status }) => action === 'CreateFleet' && status === 200).length;
  const result: Run = {
    virtualSeconds: (world.clock.monotonic() - startMs) / 1000,
    seconds: (performance.now() - startedMs) / 1000,
    requests,
    boundSeconds: boundSeconds(requests),
    calls: calls.length,
    throttled,
    checked: [
      assertWork(new Set(ids.values()).size === CLAIMS, `${CLAIMS} claims have ${CLAIMS} distinct instances`),
      assertWork(
        fixture.running().length === CLAIMS &&
          fixture.running().every(({ id }) => [...ids.values()].some((each) => each.endsWith(`/${id}`))),
        'EC2 runs these instances, and no other',
      ),
      assertWork(
        throttled * 1000 <= MAX_THROTTLED_PER_1000 * calls.length,
        `EC2 throttled ${throttled} of ${calls.length} requests`,
      ),
    ],
  };
  await fixture.close();
  return result;
}

/**
 * By the bucket of CreateFleet, of which no other action takes tokens, and the time that the last instance takes to run. Tags
 * that come late hold no launch up.
 */
function boundSeconds(requests: number): number {
  const { burst, perSecond } = EC2_LIMITS.mutating;
  return Math.max(0, requests - burst) / perSecond + LATENCIES.pendingMs / 1000;
}

/** Each with another choice of three types, so that no two can be launched by one request. */
function distinctClaims({ server, clock }: AwsCloudFixture): readonly Stored<NodeClaim>[] {
  const types = server.context.catalogue
    .all()
    .filter(
      ({ name, architecture, vCpus, zones, info }) =>
        architecture === 'x86_64' &&
        vCpus <= 16 &&
        zones.length === server.settings.zones.length &&
        info.GpuInfo === undefined &&
        // For neurons there must be no other choice.
        !name.startsWith('inf') &&
        info.BareMetal !== true &&
        info.SupportedUsageClasses?.includes('spot') === true,
    )
    .map(({ name }) => name);
  const creationTimestamp = new Date(clock.now()).toISOString();
  const claims: Stored<NodeClaim>[] = [];
  for (const capacityType of ['on-demand', 'spot'])
    for (const [first, one] of types.entries())
      for (const [second, other] of types.entries())
        for (const [third, last] of types.entries()) {
          if (claims.length === CLAIMS) return claims;
          if (first >= second || second >= third) continue;
          const requirements = [
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [one, other, last] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacityType] },
          ];
          claims.push(aClaim(`c${claims.length}`, { creationTimestamp, spec: { requirements } }));
        }
  throw new Error(`${types.length} types are too few for ${CLAIMS} different requests: ${claims.length}`);
}

function named(kind: string, run: Run): Readonly<Record<string, number>> {
  return {
    [`${kind}VirtualSeconds`]: rounded(run.virtualSeconds),
    [`${kind}BoundSeconds`]: rounded(run.boundSeconds),
    [`${kind}CreateFleetRequests`]: run.requests,
    [`${kind}CallsPerLaunch`]: rounded(run.calls / CLAIMS),
    [`${kind}Throttled`]: run.throttled,
    [`${kind}Seconds`]: rounded(run.seconds),
  };
}
