import { type ResourceRef, resourceName } from '@chandler/kube';
import { expect, test } from 'vitest';
import type { LookupResult, ObjectReader } from '../../causes/index.ts';
import { CATALOGUES } from '../../cloud/registry.ts';

import { regionOfCluster } from './region.ts';

const labelled = (labels: object) => [{ metadata: { name: 'x', labels } }];
const region = (value: string) => labelled({ 'topology.kubernetes.io/region': value });
const zone = (value: string) => labelled({ 'topology.kubernetes.io/zone': value });
const controller = (name: string, value: string) => [
  { metadata: { name: 'k' }, spec: { template: { spec: { containers: [{ env: [{ name, value }] }] } } } },
];

function reader(objects: Readonly<Record<string, readonly object[]>>): ObjectReader {
  const list = async (resource: ResourceRef) =>
    ({ found: objects[resourceName(resource)] ?? [] }) as unknown as LookupResult<never>;
  return { list } as Partial<ObjectReader> as ObjectReader;
}

test.each<[cloud: string, objects: Readonly<Record<string, readonly object[]>>, region: string | undefined]>([
  ['aws', { nodes: region('us-west-2') }, 'us-west-2'],
  ['aws', { nodes: region('Rack 5'), 'nodeclaims.karpenter.sh': zone('eu-west-1b') }, 'eu-west-1'],
  ['aws', { 'deployments.apps': controller('AWS_REGION', 'us-gov-west-1') }, 'us-gov-west-1'],
  ['aws', { 'deployments.apps': controller('LOCATION', 'westeurope') }, undefined],
  ['azure', { nodes: region('westeurope') }, 'westeurope'],
  ['azure', { 'deployments.apps': controller('LOCATION', 'westeurope') }, 'westeurope'],
  ['azure', {}, undefined],
])(
  '%s: the region of the nodes, of NodeClaims or of the controller (case %#)',
  async (cloud, objects, expected) => {
    const catalogue = await CATALOGUES.find(({ name }) => name === cloud)!.catalogue();
    expect(await regionOfCluster(reader(objects), catalogue)).toBe(expected);
  },
);
