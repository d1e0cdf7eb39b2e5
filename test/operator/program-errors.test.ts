/** A bug of a controller or of a background task shows as a metric and as an event; the operator keeps running. */
import { Controller, EVENTS, onceSource } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { fakeProvider } from '../controllers/fake-cloud.ts';
import { NAMESPACE, type OperatorStage, operatorStage } from './operator-stage.ts';

let stage: OperatorStage;
afterEach(() => stage.end());

const METRIC = 'chandler_program_errors_total';

test('a bug in a reconcile is counted, and an event on the Lease says what failed and where', async () => {
  stage = await operatorStage();
  const operator = stage.operator({
    controllers: ({ world }) => [
      new Controller({
        name: 'nodeclaim.broken',
        world,
        sources: [onceSource()],
        reconcile: async () => {
          throw new TypeError("Cannot read properties of undefined (reading 'spec')");
        },
      }),
    ],
  });
  await stage.inTime(operator.start());
  await stage.until('the event is there', async () => (await programErrors()).length > 0);
  const [event] = await programErrors();
  expect(event).toMatchObject({
    type: 'Warning',
    metadata: { namespace: NAMESPACE },
    involvedObject: { kind: 'Lease', name: 'karpenter-leader-election', namespace: NAMESPACE },
    message: expect.stringMatching(
      /^the controller nodeclaim\.broken failed .*TypeError: Cannot read properties/,
    ),
  });
  expect(counted('nodeclaim.broken')).toBeGreaterThanOrEqual(1);
});

test('a failure of the outside world is neither counted nor reported as a bug', async () => {
  stage = await operatorStage();
  const operator = stage.operator({
    controllers: ({ world }) => [
      new Controller({
        name: 'nodeclaim.unlucky',
        world,
        sources: [onceSource()],
        reconcile: async () => {
          throw new Error('the cloud does not answer');
        },
      }),
    ],
  });
  await stage.inTime(operator.start());
  await stage.world.clock.advance(60_000);
  expect(await programErrors()).toEqual([]);
  expect(counted('nodeclaim.unlucky')).toBe(0);
});

test('a bug in a background task is counted and reported, and the task is started again', async () => {
  stage = await operatorStage();
  let runs = 0;
  const provider = fakeProvider(stage.cloud);
  const operator = stage.operator({
    provider: {
      ...provider,
      createParts: async (request) => ({
        ...(await provider.createParts(request)),
        background: [
          {
            name: 'prices',
            run: async () => {
              runs += 1;
              throw new RangeError('Invalid time value');
            },
          },
        ],
      }),
    },
    controllers: () => [],
  });
  await stage.inTime(operator.start());
  await stage.until('the event is there', async () => (await programErrors()).length > 0);
  expect((await programErrors())[0]!['message']).toContain('the background task prices failed');
  expect(runs).toBeGreaterThanOrEqual(2);
  expect(counted('prices')).toBe(runs);
});

async function programErrors() {
  return (await stage.list(EVENTS)).filter((event) => event['reason'] === 'ProgramError');
}

function counted(component: string): number {
  return stage.world.values.get(`${METRIC}{component="${component}"}`) ?? 0;
}
