/** A Chandler that only observes is not the controller: `why` answers from the one that leads, or should. */
import { describe, expect, test } from 'vitest';
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
} from '../../packages/chandler/src/diagnose/index.ts';
import { scrubber } from '../../packages/chandler/src/diagnose/testing.ts';

import { aClass, aController, aPool, type ControllerWords } from './cluster-objects.ts';
import { dumpWith } from './corpus.ts';
import { aPod, merged } from './objects.ts';

const CLOUD = azureDiagnosis();

/** A Deployment of our chart. */
function chandler(args: readonly string[], namespace = 'kube-system'): ReadObject {
  const labels = { 'app.kubernetes.io/name': 'chandler' };
  const karpenter = aController({ args }).find(({ kind }) => kind === 'Deployment')!;
  return merged(karpenter, {
    metadata: { name: 'chandler', namespace, labels },
    spec: { selector: { matchLabels: labels } },
  });
}

async function asked(objects: readonly ReadObject[]) {
  const all = [aPod({}), aPool(), aClass(), ...objects].map(scrubber(CLOUD.options.table));
  const reader = dumpReader(openDump(encodeDump(dumpWith(all, {}, []), false)));
  const gathered = await gather({ kind: 'pod', namespace: 'shop', name: 'web' }, { reader, cloud: CLOUD });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  const { cause } = explain(gathered.subject, gathered.evidence, CLOUD);
  return { controller: gathered.evidence.first('controller'), cause: cause?.id, summary: cause?.summary };
}

const CRASHES: ControllerWords = {
  ready: 0,
  leader: false,
  stopped: { reason: 'CrashLoopBackOff', message: 'no token from Azure' },
};
const OBSERVES = ['controller', '--observe'];

describe('beside Karpenter', () => {
  test.each([[OBSERVES], [['controller', '--observe=true']]])(
    'that crashes, one with %j does not hide why',
    async (args) => {
      for (const namespace of ['kube-system', 'chandler']) {
        const { controller, cause, summary } = await asked([
          ...aController(CRASHES),
          chandler(args, namespace),
        ]);
        expect(controller?.deployment).toBe('kube-system/karpenter');
        expect(cause).toBe('configuration.controller-down');
        expect(summary).toContain('no token from Azure');
      }
    },
  );

  test('that is scaled to zero, nobody runs', async () => {
    const { controller, cause } = await asked([
      ...aController({ replicas: 0, leader: false }),
      chandler(OBSERVES),
    ]);
    expect(controller?.deployment).toBe('kube-system/karpenter');
    expect(cause).toBe('configuration.controller-down');
  });

  test.each([[['controller']], [['controller', '--observe=false']]])(
    'that is scaled to zero, one with %j is the controller',
    async (args) => {
      const { controller } = await asked([...aController({ replicas: 0, leader: false }), chandler(args)]);
      expect(controller?.deployment).toBe('kube-system/chandler');
    },
  );
});

describe('alone', () => {
  test.each(['kube-system', 'chandler'])(
    'in %s, where the cloud runs the controller: its Lease decides',
    async (namespace) => {
      const leads = await asked([...aController({ hosting: 'none' }), chandler(OBSERVES, namespace)]);
      expect(leads.controller).toMatchObject({ hosting: 'managed', deployment: undefined });
      expect(leads.controller?.leader).toBeDefined();
      expect(leads.cause).not.toBe('configuration.no-leader');
      const none = await asked([
        ...aController({ hosting: 'none', leader: false }),
        chandler(OBSERVES, namespace),
      ]);
      expect(none.cause).toBe('configuration.no-leader');
    },
  );

  test('without a Lease, it is not known whether there is a controller', async () => {
    const { controller, cause } = await asked([chandler(OBSERVES)]);
    expect(controller).toBeUndefined();
    expect(cause).not.toMatch(/^configuration\./);
  });
});

test('of two that run, the one whose replica holds the Lease is the controller, by the identity of ours, too', async () => {
  const leader = 'chandler_chandler-7d9f-x2x1q_1b2c';
  const { controller } = await asked([...aController({ leader }), chandler(['controller'])]);
  expect(controller?.deployment).toBe('kube-system/chandler');
});
