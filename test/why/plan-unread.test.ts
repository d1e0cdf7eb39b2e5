/** What a plan for a pending pod rests on, and could not be read: the answer says nothing that rests on it. */
import { describe, expect, test } from 'vitest';
import {
  dumpReader,
  encodeDump,
  explanationText,
  openDump,
} from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';
import { partly, without } from './part-reader.ts';

async function answer(one: object, forbidden: readonly string[] = [], partial: readonly string[] = []) {
  const whole = { file: 'here', title: '', ask: 'pod/shop/web', expect: {}, ...one } as CorpusCase;
  const reader = without(partly(dumpReader(openDump(encodeDump(dumpOf(whole), false))), partial), forbidden);
  const explanation = await askThrough(reader, whole.ask);
  return { ...explanation, text: explanationText(explanation) };
}

const CLAIMS = 'nodeclaims.karpenter.sh';
const NODES = 'nodes';
const JOINED = {
  claims: [{}],
  nodes: [{ metadata: { labels: { 'topology.kubernetes.io/zone': 'westeurope-1' } } }],
};
const WOULD_LAUNCH = /would launch a node|No node is launched/;

describe('a pod that a NodePool would take', () => {
  const late = { ...JOINED, pods: [{ age: '1h' }] };

  test('has no node, and none is launched, where everything could be read', async () => {
    const { cause, also, text } = await answer({ ...late, claims: [{ upTo: 'initialized' }] });
    expect(cause).toBeUndefined();
    expect(also.map(({ id }) => id)).toEqual(['scheduling.not-launched']);
    expect(text).toMatch(WOULD_LAUNCH);
  });

  test.each([
    ['without its NodeClaims', [CLAIMS], []],
    ['without nodes', [NODES], []],
    ['without both', [NODES, CLAIMS], []],
    ['without the events of the pod, which may have been nominated', ['events'], []],
    ['without DaemonSets, which may need the room', ['daemonsets.apps'], []],
    ['without its node class', ['aksnodeclasses.karpenter.azure.com'], []],
  ] as const)('%s, the answer does not say that a node would be launched', async (_, forbidden, partial) => {
    const { cause, text, unread, layers } = await answer(late, forbidden, partial);
    expect(cause?.id).toBe('scheduling.unexplained');
    expect(cause?.title).toMatch(/could not be read|cannot be read/);
    expect(text).not.toMatch(WOULD_LAUNCH);
    expect(layers.find(({ layer }) => layer === 'scheduling')?.state).toBe('broken');
    for (const kind of forbidden)
      expect(unread.some(({ permission = '' }) => permission.includes(kind.split('.')[0]!))).toBe(true);
    expect(cause?.fix).toMatch(/[Aa]sk again/);
  });

  test('and of which a dump has no NodeClaims, or no nodes', async () => {
    const empty = { pods: [{ age: '1h' }] };
    for (const kind of [CLAIMS, NODES]) {
      const { cause, text } = await answer(empty, [], [kind]);
      expect(cause?.title).toContain('could not be read');
      expect(text).not.toMatch(WOULD_LAUNCH);
    }
  });

  test('is in progress for as long as a launch usually takes', async () => {
    for (const kind of [CLAIMS, NODES, 'events'])
      expect(await answer({ ...JOINED, pods: [{ age: '5m' }] }, [kind])).toMatchObject({
        verdict: 'underWay',
      });
  });

  test('and a limit that is reached may be reached by the node that was launched for it: its events say so', async () => {
    const full = {
      ...late,
      pool: { spec: { limits: { nodes: '1' } }, status: { resources: { nodes: '1' } } },
    };
    expect((await answer(full)).cause?.id).toBe('scheduling.limit');
    expect((await answer(full, ['events'])).cause?.id).toBe('scheduling.unexplained');
  });

  test('by the words of the scheduler only existing nodes have no room', async () => {
    const told = {
      ...late,
      events: [
        {
          on: 'Pod/shop/web',
          reason: 'FailedScheduling',
          message: '0/1 nodes are available: 1 Insufficient cpu.',
          by: 'default-scheduler',
          ago: '1m',
        },
      ],
    };
    expect((await answer(told)).cause).toBeUndefined();
    for (const kind of [CLAIMS, NODES]) {
      const { cause, also } = await answer(told, [kind]);
      expect(cause).toBeUndefined();
      expect(also.map(({ id, title }) => [id, title])).toEqual([
        ['L6.3', 'The existing nodes have no room for the pod'],
      ]);
    }
  });

  test.each([
    'no nodes available to schedule pods',
    '0/1 nodes are available: 1 node(s) were unschedulable.',
  ])(
    'words of the scheduler that explain nothing do not hide what could not be read: %s',
    async (message) => {
      const event = { on: 'Pod/shop/web', reason: 'FailedScheduling', message, by: 'default-scheduler' };
      const told = { ...late, events: [{ ...event, ago: '1m' }] };
      for (const kind of [CLAIMS, NODES]) {
        const { cause, text } = await answer(told, [kind]);
        expect(cause?.id).toBe('scheduling.unexplained');
        expect(cause?.title).toContain('could not be read');
        expect(text).toContain(message);
      }
      const young = { ...told, pods: [{ age: '5m' }] };
      expect(await answer(young, [CLAIMS])).toMatchObject({ verdict: 'underWay' });
    },
  );

  test('words of the scheduler that a cause knows stay the only answer', async () => {
    const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
    const event = { on: 'Pod/shop/web', reason: 'FailedScheduling', message, by: 'default-scheduler' };
    const { cause, also } = await answer({ ...late, events: [{ ...event, ago: '1m' }] }, [CLAIMS]);
    expect(cause).toBeUndefined();
    expect(also.map(({ id }) => id)).toEqual(['scheduling.host-port']);
  });

  test('and whose volume is not bound is told that, with words of the scheduler about it', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const message = '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.';
    const event = { on: 'Pod/shop/web', reason: 'FailedScheduling', message, by: 'default-scheduler' };
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop' },
    };
    const storageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'slow' },
      provisioner: 'x',
      volumeBindingMode: 'Immediate',
    };
    const one = {
      ...late,
      pods: [{ age: '1h', spec: { volumes } }],
      objects: [{ ...claim, spec: { storageClassName: 'slow' }, status: { phase: 'Pending' } }, storageClass],
      events: [{ ...event, ago: '1m' }],
    };
    const { cause, also } = await answer(one, [CLAIMS]);
    expect([cause, ...also].map((each) => each?.id)).toEqual(['volumes.unbound']);
  });
});

describe('a pod whose labels no NodePool has', () => {
  const one = { ...JOINED, pods: [{ age: '1h', spec: { nodeSelector: { 'example.com/disk': 'fast' } } }] };

  test('is not told that no node has them while nodes could not be read', async () => {
    expect((await answer(one)).cause?.title).toBe('No node has the labels that the pod requires');
    const { cause, unread } = await answer(one, [NODES]);
    expect(cause?.title).toBe('No NodePool launches nodes with the labels that the pod requires');
    expect(cause?.fix).toContain('Existing nodes could not be read');
    expect(unread).toContainEqual(
      expect.objectContaining({ kind: 'node', what: 'Nodes with the labels that the pod requires' }),
    );
  });
});

test('a pod that no NodePool of a dump takes may be for one that the dump does not have', async () => {
  const one = { ...JOINED, pods: [{ age: '1h', spec: { nodeSelector: { 'example.com/disk': 'fast' } } }] };
  expect((await answer(one)).cause?.id).toBe('L6.4');
  const { cause, unread } = await answer(one, [], ['nodepools.karpenter.sh']);
  expect(cause?.id).toBe('scheduling.unexplained');
  expect(unread).toContainEqual({ kind: 'nodePool', what: 'NodePools', why: 'notInDump' });
});

describe('a pod for a static NodePool', () => {
  const one = {
    pool: null,
    pools: [{ name: 'gpu', spec: { replicas: 1, template: { metadata: { labels: { team: 'ml' } } } } }],
    claims: [{ name: 'gpu-x7k2p', pool: 'gpu' }],
    nodes: [
      {
        name: 'aks-gpu-x7k2p',
        claim: 'gpu-x7k2p',
        metadata: {
          labels: { 'karpenter.sh/nodepool': 'gpu', 'topology.kubernetes.io/zone': 'westeurope-1' },
        },
      },
    ],
    pods: [{ age: '1h', spec: { nodeSelector: { team: 'ml' } } }],
  };

  test.each([[CLAIMS], [NODES]])(
    'is not told that more nodes help while %s could not be read',
    async (kind) => {
      expect((await answer(one)).cause?.fix).toMatch(/^Raise spec\.replicas/);
      const { cause, unread } = await answer(one, [kind]);
      expect(cause?.id).toBe('scheduling.pool-static');
      expect(cause?.fix).toMatch(/^Check first whether the nodes of the NodePool are there and Ready/);
      expect(cause?.summary).toContain('whether its nodes are there and Ready is not known');
      expect(unread.map(({ what }) => what)).toContainEqual(expect.stringContaining('of NodePool gpu'));
    },
  );
});

describe('a NodePool', () => {
  const one = { ...JOINED, ask: 'nodepool/default', pods: [{ age: '1h' }] };

  test('that would take a pending pod: not while its NodeClaims could not be read', async () => {
    expect((await answer(one)).also.map(({ id }) => id)).toContain('scheduling.not-launched');
    const { text } = await answer(one, [CLAIMS]);
    expect(text).not.toMatch(WOULD_LAUNCH);
    const { text: withoutNodes, standing } = await answer(one, [NODES]);
    expect(withoutNodes).not.toMatch(WOULD_LAUNCH);
    expect(standing).toContain('not known');
  });
});

test('a NodeClaim that the pod was nominated to, and that could not be read, is not gone', async () => {
  const nominated = {
    ...JOINED,
    pods: [{ age: '1h' }],
    claims: [{ upTo: 'launched', age: '2m' }],
    nodes: [],
    events: [
      {
        on: 'Pod/shop/web',
        reason: 'Nominated',
        message: 'Pod should schedule on: nodeclaim/default-x7k2p',
        by: 'karpenter',
        ago: '1m',
      },
    ],
  };
  const { unread } = await answer(nominated, [CLAIMS]);
  expect(unread).toContainEqual(
    expect.objectContaining({ kind: 'nodeClaim', what: 'NodeClaim default-x7k2p', why: 'forbidden' }),
  );
});

test('a region that could not be read is not the home region of the catalogue', async () => {
  const ofZone = {
    ...JOINED,
    pods: [{ age: '1h', spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'westeurope-1' } } }],
  };
  const { cause, text } = await answer(ofZone, [NODES, CLAIMS]);
  expect(cause?.id).toBe('scheduling.unexplained');
  expect(text).not.toContain('westeurope-1');
  const { also } = await answer(ofZone);
  expect(also.map(({ id }) => id)).toEqual(['scheduling.not-launched']);
});

test('a controller that could not be seen is not to be checked from here', async () => {
  const size = { 'node.kubernetes.io/instance-type': 'Standard_D999_v9' };
  const ofSize = { ...JOINED, pods: [{ age: '1h', spec: { nodeSelector: size } }] };
  expect((await answer(ofSize)).cause?.fix).toContain('Check that the controller runs');
  const { cause, unread } = await answer(ofSize, ['deployments.apps']);
  expect(cause?.id).toBe('scheduling.unexplained');
  expect(unread.map(({ kind }) => kind)).toContain('controller');
  expect(cause?.fix).not.toContain('Check that the controller runs');
});
