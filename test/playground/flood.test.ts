/** Many pods at once, in virtual time: more than the default buffer of an event recorder holds. */
import { EVENTS, type KubeObject } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { deployment } from '../../packages/chandler/src/playground/testing.ts';
import { RUNS_ALL } from '../part.ts';
import { type ScenarioHarness, SMALL_CATALOGUE, startScenarioHarness } from './scenario-harness.ts';

const PODS = 1_100;

let harness: ScenarioHarness;
afterEach(() => harness.stop());

if (!RUNS_ALL)
  console.log('the flood of pods takes half a minute; CHANDLER_TESTS=all runs it, as .ci/run does');

test.skipIf(!RUNS_ALL)(
  'every pod of a flood gets the event of its nomination, and no event twice',
  async () => {
    harness = await startScenarioHarness([], SMALL_CATALOGUE);
    const flood = deployment('flood', PODS, { cpu: '100m', memory: '64Mi' });
    const until = [{ pods: { app: 'flood', running: PODS } }];
    const steps = [{ description: 'flood', actions: [{ apply: flood }], until, withinMs: 30 * 60_000 }];
    const { result } = await harness.run({ name: 'flood', summary: '', speed: 1, steps });
    expect(result).toEqual({ outcome: 'completed' });
    // Events are sent at a limited rate, so that they leave the rate limit of the client to other requests.
    await harness.world.clock.advance(300_000);

    const events = (await harness.admin.list(EVENTS)).items as readonly NominationEvent[];
    const nominated = events.filter(({ reason }) => reason === 'Nominated');
    const pods = new Set(nominated.map(({ involvedObject }) => involvedObject?.name));
    expect(pods.size).toBe(PODS);
    // The same sentence about the same pod is one event.
    const sentences = nominated.map(({ involvedObject, message }) => `${involvedObject?.name}: ${message}`);
    expect(new Set(sentences).size).toBe(sentences.length);
  },
  240_000,
);

interface NominationEvent extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly name?: string };
}
