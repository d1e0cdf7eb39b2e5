/** The claim failed and is gone, its events too: `why nodeclaim/x` still answers, from what the controller has kept. */

import { CONFIG_MAPS, EVENTS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  explain,
  explanationText,
  gather,
  liveReader,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import { type CseScene, cseScene } from './cse-on-claim.fixture.ts';

let scene: CseScene;
afterEach(() => scene.stage.end());

async function answerAbout(
  name: string,
): Promise<{ readonly cause: string | undefined; readonly text: string }> {
  const { stage } = scene;
  const subject = parseSubject([`nodeclaim/${name}`]);
  if (typeof subject === 'string') throw new Error(subject);
  const reader = liveReader({ client: stage.admin, clock: stage.world.clock });
  const gathered = await stage.inTime(gather(subject, { reader, cloud: azureDiagnosis() }));
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  const explanation = explain(gathered.subject, gathered.evidence, azureDiagnosis());
  return { cause: explanation.cause?.id, text: explanationText(explanation) };
}

async function gone(name: string, afterSeconds: number): Promise<void> {
  const { stage } = scene;
  await stage.world.clock.advance(afterSeconds * 1000);
  expect((await scene.claims()).map(({ metadata }) => metadata.name)).not.toContain(name);
  for (const event of await stage.list(EVENTS))
    await stage.inTime(
      stage.admin.delete(EVENTS, { namespace: event.metadata.namespace!, name: event.metadata.name! }),
    );
}

const CASES: readonly (readonly [
  title: string,
  fault: string,
  seconds: number,
  cause: string,
  text: string,
])[] = [
  ['with failed provisioning', 'cse=50@count=1', 150, 'cse.50', 'ERR_OUTBOUND_CONN_FAIL'],
  [
    'with a line of the log that decided it',
    'cse=51@count=1',
    150,
    'cse.51',
    'The log says: + retrycmd_if_failure 300 1 10 nc -vz 10.0.0.4 443',
  ],
  [
    'with the end of its log',
    'cse=51@count=1',
    150,
    'cse.51',
    "           + echo 'API server connection check code: 51'\n",
  ],
  ['with a refused VM', 'vm-internal@count=1', 60, 'azure.internal', 'InternalExecutionError'],
  ['with a VM that never registered', 'never-register@count=1', 1020, 'registration.late', '15 minutes ago'],
];

describe('a claim', () => {
  test.each(CASES)('%s is explained after it is gone', async (_, fault, seconds, cause, words) => {
    scene = await cseScene({
      mode: 'aksscriptless',
      faults: [fault],
      env: { FAILED_CLAIM_RETENTION: '1m' },
    });
    const { stage } = scene;
    let name = '';
    await stage.until('there is a claim', async () => {
      name = (await scene.claims())[0]?.metadata.name ?? '';
      return name !== '';
    });
    await gone(name, seconds);
    const { cause: found, text } = await answerAbout(name);
    expect(found).toBe(cause);
    expect(text).toContain(words);
    expect(text).toContain(
      'it no longer exists; the answer is from the launch record that the controller kept when the NodeClaim failed',
    );
  });

  test('that became a node before its deletion is not kept', async () => {
    scene = await cseScene({ mode: 'aksscriptless' });
    const { claim } = await scene.untilSaid('True');
    const { stage } = scene;
    await stage.world.clock.advance(30_000);
    await stage.inTime(stage.admin.delete(NODE_CLAIMS, { name: claim.metadata.name! }));
    await gone(claim.metadata.name!, 30);
    const kept = await stage.list(CONFIG_MAPS);
    expect(kept.filter(({ metadata }) => metadata.name === 'chandler-failed-journeys')).toEqual([]);
  });
});
