import { describe, expect, test } from 'vitest';
import type { NodeFacts } from '../azure/cluster-client.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import type { Live } from './live.ts';
import { labelChanges, settleLabels } from './node-labels.ts';
import { type FakeContext, type FakeContextOptions, fakeContext } from './step-context.fixture.ts';

/** The label that every node of ours has, whatever the config says. */
const OURS = { 'kubernetes.azure.com/managed': 'false' };
const LABELS_FACT = 'node.labels';

const contextOf = (labels: Readonly<Record<string, string>>, options: FakeContextOptions = {}) =>
  fakeContext({ config: sampleConfig({ node: { labels } }), ...options });
const liveOf = (context: FakeContext): Live => ({ ...context, nodeToken: async () => 'token-of-the-node' });
const nodeWith = (labels?: Readonly<Record<string, string>>): NodeFacts => ({
  ready: true,
  ...(labels === undefined ? {} : { labels }),
});
const settled = async (context: FakeContext, node: NodeFacts) => {
  await settleLabels(liveOf(context), context.facts, node, context.say);
  return context.asked;
};

describe('labels of a Node that is there already', () => {
  test('are left alone when they are as the config wants them', async () => {
    const context = contextOf({ site: 'north' });
    const node = nodeWith({ ...OURS, site: 'north', 'kubernetes.io/hostname': 'edge-01' });
    expect(labelChanges(context, node)).toEqual({});
    expect(await settled(context, node)).toEqual([]);
    expect(context.said).toEqual([]);
  });

  test('are set where the config changed, with the credential of the node itself', async () => {
    const context = contextOf({ site: 'south', 'example.com/rack': '7' });
    const asked = await settled(context, nodeWith({ ...OURS, site: 'north' }));
    expect(asked).toEqual(['label edge-01 {"site":"south","example.com/rack":"7"}']);
    expect(context.said).toEqual(['set labels on the Node']);
  });

  test('that left the config leave the Node', async () => {
    const context = contextOf({}, { facts: { [LABELS_FACT]: 'kubernetes.azure.com/managed,site' } });
    expect(await settled(context, nodeWith({ ...OURS, site: 'north' }))).toEqual([
      'label edge-01 {"site":null}',
    ]);
    expect(context.known.get(LABELS_FACT)).not.toContain('site');
  });

  test('that somebody removed by hand before they left the config are not asked about again', async () => {
    const context = contextOf({}, { facts: { [LABELS_FACT]: 'kubernetes.azure.com/managed,site' } });
    expect(await settled(context, nodeWith(OURS))).toEqual([]);
  });

  test('that others gave the Node are not ours to remove', async () => {
    const context = contextOf({});
    const node = nodeWith({ ...OURS, 'team.example/owner': 'ops' });
    expect(labelChanges(context, node)).toEqual({});
    expect(await settled(context, node)).toEqual([]);
  });

  test('that somebody changed on the Node are set back', () => {
    const node = nodeWith({ ...OURS, site: 'by hand' });
    expect(labelChanges(contextOf({ site: 'north' }), node)).toEqual({ site: 'north' });
  });

  test('the label that keeps Azure from deleting the node comes back, also without labels in the config', () => {
    expect(labelChanges(contextOf({}), nodeWith({}))).toEqual(OURS);
  });

  test('nothing is done if the API server returns no labels', async () => {
    const context = contextOf({ site: 'north' });
    expect(await settled(context, nodeWith())).toEqual([]);
  });

  test('with tlsBootstrap and without a certificate yet, they wait', async () => {
    const config = sampleConfig({ security: { tlsBootstrap: true }, node: { labels: { site: 'north' } } });
    const files = { '/var/lib/kubelet/pki/kubelet-client-current.pem': '' };
    expect(await settled(fakeContext({ config, files }), nodeWith(OURS))).toEqual([]);
  });

  test('what was given is written down once, so that a second run writes nothing', async () => {
    const context = contextOf({ site: 'north' });
    const node = nodeWith({ ...OURS, site: 'north' });
    await settled(context, node);
    expect(context.known.get(LABELS_FACT)).toBe('kubernetes.azure.com/managed,site');
    const writes: string[] = [];
    const facts = { ...context.facts, set: async (key: string) => void writes.push(key) };
    await settleLabels(liveOf(context), facts, node, context.say);
    expect(writes).toEqual([]);
  });
});
