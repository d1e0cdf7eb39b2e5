/** A whole controller with ENABLE_ZONAL_SHIFT, on a simulated AWS that has shifted the cluster away from zones. */
import { EVENTS, PODS } from '@chandler/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
// Loaded before time moves.
import '../../packages/chandler/src/cloud/aws/testing.ts';
import { inFull } from '../part.ts';
import { startAwsScenarioHarness } from '../playground/aws-scenario-harness.ts';
import type { ScenarioHarness } from '../playground/scenario-harness.ts';

const whole = inFull('launches during a shift, and a zone that EC2 has lost sight of');

const TIMEOUT_MS = 120_000;
const MINUTE_MS = 60_000;
const ZONE = 'topology.kubernetes.io/zone';
const ZONE_ID = 'topology.k8s.aws/zone-id';

let harness: ScenarioHarness;

beforeEach(async () => {
  harness = await startAwsScenarioHarness(['--enable-zonal-shift=true']);
}, TIMEOUT_MS);

afterEach(() => harness.stop());

const cloud = () => harness.playground.aws!.server;

function shift(zoneIds: readonly string[], forMs: number): void {
  const nowMs = harness.world.clock.now();
  for (const zoneId of zoneIds)
    cloud().cluster.shiftedZones.set(zoneId, { startMs: nowMs, endMs: nowMs + forMs });
}

/** Each on a node of its own. */
async function createPods(names: readonly string[], nodeSelector: object = {}): Promise<void> {
  for (const name of names) {
    const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '500m' } } }],
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
        nodeSelector,
      },
    };
    await harness.wait(harness.admin.create(PODS, pod as never));
  }
  await harness.world.clock.advance(3 * MINUTE_MS);
}

async function claims() {
  return (await harness.wait(harness.admin.list(NODE_CLAIMS))).items;
}

const running = () =>
  cloud()
    .instances.list()
    .filter(({ state }) => state === 'pending' || state === 'running');

const poolEvents = () => eventsOf('NodePool');
const claimEvents = () => eventsOf('NodeClaim');

async function eventsOf(kind: string): Promise<readonly string[]> {
  const { items } = await harness.wait(harness.admin.list(EVENTS));
  return (items as unknown as readonly ObjectEvent[])
    .filter(({ involvedObject }) => involvedObject.kind === kind)
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

interface ObjectEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string };
}

test.runIf(whole)(
  'nothing is launched in a zone that is shifted away, and again when the shift has expired',
  async () => {
    shift(['usw2-az1', 'usw2-az2'], 30 * MINUTE_MS);
    await harness.world.clock.advance(MINUTE_MS);
    await createPods(['a', 'b', 'c']);
    expect(new Set((await claims()).map(({ metadata }) => metadata.labels?.[ZONE_ID]))).toEqual(
      new Set(['usw2-az3']),
    );
    expect(running()).toHaveLength(3);
    const events = await poolEvents();
    expect(events).toContainEqual(
      expect.stringMatching(/^Warning ZonalShiftActive .*away from zone us-west-2a \(usw2-az2\)/),
    );
    expect(events.filter((text) => text.includes('ZonalShiftActive'))).toHaveLength(2);

    await createPods(['only-there'], { [ZONE]: 'us-west-2a' });
    expect(running(), 'the pod waits').toHaveLength(3);
    await harness.world.clock.advance(30 * MINUTE_MS);
    expect(running().map(({ zone }) => zone)).toContain('us-west-2a');
    expect(await poolEvents()).toContainEqual(
      expect.stringMatching(/^Normal ZonalShiftCleared .*zone us-west-2a \(usw2-az2\)/),
    );
  },
  TIMEOUT_MS,
);

test(
  'an instance in a zone that is shifted away is terminated when the shift is over, and not before',
  async () => {
    await createPods(['a'], { [ZONE]: 'us-west-2a' });
    const [claim] = await claims();
    expect(claim!.metadata.labels?.[ZONE_ID]).toBe('usw2-az2');
    shift(['usw2-az2'], 12 * 60 * MINUTE_MS);
    await harness.world.clock.advance(MINUTE_MS);
    await harness.wait(harness.admin.delete(PODS, { namespace: 'default', name: 'a' }));
    await harness.wait(harness.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! }));
    await harness.world.clock.advance(10 * MINUTE_MS);
    expect(running()).toHaveLength(1);
    const [waiting] = await claims();
    const types = (waiting!['status'] as { conditions: { type: string }[] }).conditions.map(
      ({ type }) => type,
    );
    expect(types, 'nothing was accepted').not.toContain('InstanceTerminating');
    expect(await claimEvents()).toContainEqual(
      expect.stringMatching(/^Warning FailedTermination .*shifted away from zone us-west-2a/),
    );
    cloud().cluster.shiftedZones.clear();
    await harness.world.clock.advance(5 * MINUTE_MS);
    expect(running()).toEqual([]);
    expect(await claims()).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'an EC2NodeClass says after five minutes that zonal shifts are not known',
  async () => {
    const warnings = async () =>
      (await eventsOf('EC2NodeClass')).filter((text) => text.startsWith('Warning'));
    cloud().faults.add('503@operation=arc-zonal-shift:GetManagedResource');
    await harness.world.clock.advance(4 * MINUTE_MS);
    expect(await warnings()).toEqual([]);
    await harness.world.clock.advance(2 * MINUTE_MS);
    expect(await warnings()).toEqual([
      expect.stringMatching(
        /^Warning ZonalShiftUnknown .* have not been read for 5 minutes; .*ServiceUnavailable/,
      ),
    ]);
  },
  TIMEOUT_MS,
);

test.runIf(whole)(
  'nodes in a zone that EC2 has lost sight of stay, and so do their pods',
  async () => {
    await createPods(['a'], { [ZONE]: 'us-west-2a' });
    const [claim] = await claims();
    const nowMs = harness.world.clock.now();
    shift(['usw2-az2'], 60 * MINUTE_MS);
    cloud().account.impairedZones.set('us-west-2a', {
      fromMs: nowMs + MINUTE_MS,
      untilMs: nowMs + 50 * MINUTE_MS,
    });
    await harness.world.clock.advance(40 * MINUTE_MS);
    expect((await claims()).map(({ metadata }) => metadata.uid)).toEqual([claim!.metadata.uid]);
    expect(running()).toHaveLength(1);
    const pod = await harness.wait(harness.admin.get(PODS, { namespace: 'default', name: 'a' }));
    expect((pod.status as { phase?: string }).phase).toBe('Running');
  },
  TIMEOUT_MS,
);
