import type { KubeObject } from '@chandler/kube';
import { type ResourceRef, resourceName } from '@chandler/kube';
import { expect, test } from 'vitest';
import { AKS_NODE_CLASSES, EC2_NODE_CLASSES } from '../../api/index.ts';
import type { LookupFailure, ObjectReader, ReadObject } from '../../causes/index.ts';

import { parseSubject, type Subject } from '../subject.ts';
import { findCloud } from './find-cloud.ts';

const ROWS = [
  { name: 'azure', nodeClasses: [AKS_NODE_CLASSES], providerIds: 'azure://' },
  { name: 'aws', nodeClasses: [EC2_NODE_CLASSES], providerIds: 'aws://' },
];
const EC2 = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const AKS = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };

const object = (name: string, spec: object = {}, labels = {}) => ({ metadata: { name, labels }, spec });
const aPool = (name: string, nodeClassRef: object) => object(name, { template: { spec: { nodeClassRef } } });
const aClaim = (name: string, nodeClassRef: object) => object(name, { nodeClassRef });

type Objects = Readonly<Record<string, readonly object[] | LookupFailure['why']>>;

/** Objects by the name of their kind; a reason where they cannot be read. */
function reader(objects: Objects, asked: string[] = []): ObjectReader {
  const all = (resource: ResourceRef): readonly ReadObject[] | LookupFailure => {
    const name = resourceName(resource);
    asked.push(name);
    const found = objects[name] ?? [];
    return typeof found === 'string' ? { why: found } : (found as unknown as readonly ReadObject[]);
  };
  return {
    get: async (resource, { name }) => {
      const found = all(resource);
      if ('why' in found) return found;
      const one = found.find(({ metadata }: KubeObject) => metadata.name === name);
      return one === undefined ? { why: 'notFound' } : { found: one };
    },
    list: async (resource) => {
      const found = all(resource);
      return 'why' in found ? found : { found };
    },
  } as Partial<ObjectReader> as ObjectReader;
}

async function cloudOf(objects: Objects, about?: string) {
  const subject = about === undefined ? undefined : (parseSubject([about]) as Subject);
  const { row, others } = await findCloud(ROWS, reader(objects), subject);
  return [row?.name, ...others.map(({ name }) => name)];
}

test.each<[title: string, objects: Objects, about: string | undefined, cloud: string | undefined]>([
  ['the node class of a NodeClaim', { 'nodeclaims.karpenter.sh': [aClaim('a', EC2)] }, 'nodeclaim/a', 'aws'],
  ['the node class of a NodePool', { 'nodepools.karpenter.sh': [aPool('a', AKS)] }, 'nodepool/a', 'azure'],
  [
    'the label of a node',
    { nodes: [object('n', {}, { 'karpenter.k8s.aws/ec2nodeclass': 'default' })] },
    'node/n',
    'aws',
  ],
  [
    'the provider id of a node of a managed node group',
    { nodes: [object('n', { providerID: 'aws:///us-west-2a/i-1' })] },
    'node/n',
    'aws',
  ],
  [
    'the node of a pod',
    { pods: [object('p', { nodeName: 'n' })], nodes: [object('n', { providerID: 'azure:///x' })] },
    'pod/p',
    'azure',
  ],
  [
    'the NodePools, for a pending pod',
    { pods: [object('p')], 'nodepools.karpenter.sh': [aPool('a', EC2)] },
    'pod/p',
    'aws',
  ],
  [
    'the NodePools, for a NodeClaim that no longer exists',
    { 'nodepools.karpenter.sh': [aPool('a', EC2)] },
    'nodeclaim/gone',
    'aws',
  ],
  [
    'node classes without a NodePool',
    { 'ec2nodeclasses.karpenter.k8s.aws': [object('a')] },
    undefined,
    'aws',
  ],
  [
    'nodes, where NodePools and node classes may not be read',
    {
      'nodepools.karpenter.sh': 'forbidden',
      'aksnodeclasses.karpenter.azure.com': 'forbidden',
      'ec2nodeclasses.karpenter.k8s.aws': 'forbidden',
      nodes: [object('other', { providerID: 'kind://x' }), object('n', { providerID: 'aws:///a/i-1' })],
    },
    undefined,
    'aws',
  ],
  ['nothing', { nodes: [object('n', { providerID: 'kind://x' })] }, undefined, undefined],
])('the cloud of a question: %s', async (_, objects, about, cloud) => {
  expect(await cloudOf(objects, about)).toEqual([cloud]);
});

test('of a cluster with objects of two clouds, the object decides, otherwise the cloud with more NodePools', async () => {
  const pools = [aPool('a', EC2), aPool('b', AKS), aPool('c', EC2)];
  expect(await cloudOf({ 'nodepools.karpenter.sh': pools })).toEqual(['aws', 'azure']);
  expect(await cloudOf({ 'nodepools.karpenter.sh': pools }, 'nodepool/b')).toEqual(['azure']);
});

test('a cluster that does not answer is asked once', async () => {
  const asked: string[] = [];
  const { row } = await findCloud(ROWS, reader({ pods: 'unreachable' }, asked), { kind: 'pod', name: 'p' });
  expect([row, asked]).toEqual([undefined, ['pods']]);
});
