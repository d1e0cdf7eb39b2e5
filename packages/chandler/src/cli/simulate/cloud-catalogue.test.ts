import { describe, expect, test } from 'vitest';
import { aDeployment, aNodePool, simulateText } from './simulate.fixture.ts';

const AZURE = { catalogue: undefined };

function otherPool(name: string): string {
  return aNodePool(name).replace(
    'group: karpenter.azure.com, kind: AKSNodeClass',
    'group: example.com, kind: Other',
  );
}

function inZones(...zones: string[]): string {
  return aNodePool('default').replace(
    'requirements: [',
    `requirements: [{ key: topology.kubernetes.io/zone, operator: In, values: [${zones.join(', ')}] }, `,
  );
}

describe('a NodePool with an AKSNodeClass', () => {
  test('uses the sizes of Azure and its list prices, with their date', async () => {
    const { report } = await simulateText(`${aNodePool('default')}---\n${aDeployment('web', 3)}`, AZURE);
    expect([report.nodes[0]!.instanceType]).toEqual([expect.stringMatching(/^Standard_/)]);
    expect(report.nodes[0]!.zone).toBe('eastus-1');
    expect(report.notes.join()).toMatch(/Azure for eastus: list prices as of 20\d\d-\d\d/);
    expect(report.notes.join()).not.toContain('generic');
  });

  test('gets the region from its zones', async () => {
    const { report } = await simulateText(`${inZones('westeurope-2')}---\n${aDeployment('web', 1)}`, AZURE);
    expect(report.nodes[0]!.zone).toBe('westeurope-2');
    expect(report.notes.join()).toContain('Azure for westeurope');
  });

  test('has the disk of its node class, as in the controller', async () => {
    const nodeClass = `apiVersion: karpenter.azure.com/v1beta1
kind: AKSNodeClass
metadata: { name: default }
spec: { maxPods: 10 }
---
`;
    const text = `${nodeClass}${aNodePool('default')}---\n${aDeployment('web', 30).replace('cpu: "1", memory: 1Gi', 'cpu: 10m')}`;
    const { report } = await simulateText(text, AZURE);
    expect(report.nodes.length).toBeGreaterThanOrEqual(3);
  });

  test('selects sizes by the labels of Azure', async () => {
    const pool = aNodePool('default').replace(
      'requirements: [',
      'requirements: [{ key: karpenter.azure.com/sku-family, operator: In, values: [E] }, ',
    );
    const { report } = await simulateText(`${pool}---\n${aDeployment('web', 1)}`, AZURE);
    expect(report.nodes[0]!.instanceType).toMatch(/^Standard_E/);
  });
});

describe('a NodePool with an EC2NodeClass', () => {
  const pool = (requirements = '') =>
    aNodePool('default')
      .replace(
        'group: karpenter.azure.com, kind: AKSNodeClass',
        'group: karpenter.k8s.aws, kind: EC2NodeClass',
      )
      .replace('requirements: [', `requirements: [${requirements}`);
  const nodeClass = (spec: string) => `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  role: node
  subnetSelectorTerms: [{ id: subnet-1 }]
  securityGroupSelectorTerms: [{ id: sg-1 }]
  ${spec}
---
`;

  test('uses the types of AWS and its list prices, with their date', async () => {
    const { report } = await simulateText(`${pool()}---\n${aDeployment('web', 3)}`, AZURE);
    expect(report.nodes[0]!.instanceType).toMatch(/^[a-z0-9-]+\.[a-z0-9-]+$/);
    expect(report.nodes[0]!.zone).toMatch(/^us-east-1[a-f]$/);
    expect(report.notes.join()).toMatch(/AWS for us-east-1: list prices as of 20\d\d-\d\d/);
    expect(report.notes.join()).toContain('Spot prices are estimated at 35 %');
    expect(report.notes.join()).not.toContain('generic');
  });

  test('gets the region from its zones, and the report says whose prices are used', async () => {
    const zone = '{ key: topology.kubernetes.io/zone, operator: In, values: [eu-central-1b] }, ';
    const { report } = await simulateText(`${pool(zone)}---\n${aDeployment('web', 1)}`, AZURE);
    expect(report.nodes[0]!.zone).toBe('eu-central-1b');
    expect(report.notes.join()).toContain('AWS for eu-central-1');
    expect(report.notes.join()).toContain(
      'Prices of eu-central-1 are not known; those of us-east-1 are used.',
    );
  });

  test('selects types by the labels of AWS, at the price of the table', async () => {
    const type =
      '{ key: karpenter.k8s.aws/instance-family, operator: In, values: [m5] }, ' +
      '{ key: karpenter.sh/capacity-type, operator: In, values: [on-demand] }, ';
    const { report } = await simulateText(`${pool(type)}---\n${aDeployment('web', 1)}`, AZURE);
    expect(report.nodes[0]).toMatchObject({ instanceType: 'm5.large', pricePerHour: 0.096 });
  });

  test('has the pods and disks of its node class, as in the controller', async () => {
    const text = (spec: string) =>
      `${nodeClass(spec)}${pool()}---\n${aDeployment('web', 30).replace('cpu: "1", memory: 1Gi', 'cpu: 10m')}`;
    const few = await simulateText(
      text('amiSelectorTerms: [{ alias: al2023@latest }]\n  kubelet: { maxPods: 10 }'),
      AZURE,
    );
    expect(few.report.nodes.length).toBeGreaterThanOrEqual(3);
    const many = await simulateText(text('amiSelectorTerms: [{ alias: windows2022@latest }]'), AZURE);
    expect(many.report.nodes).toHaveLength(1);
  });

  test('is planned beside a NodePool of another cloud, each with its own types', async () => {
    const text = `${pool()}---\n${aNodePool('other')}---\n${aDeployment('web', 1)}`;
    const { report } = await simulateText(text, AZURE);
    expect(report.notes.join()).toContain('those of AWS for us-east-1');
    expect(report.notes.join()).toContain('those of Azure for eastus');
  });

  const node = (name: string, labels: string, providerID = '') => `apiVersion: v1
kind: Node
metadata: { name: ${name}, labels: { ${labels} } }
spec: { providerID: "${providerID}" }
---
`;
  const REGION = 'topology.kubernetes.io/region';
  const ZONE = 'topology.kubernetes.io/zone';

  test.each([
    [
      'the region of its own nodes',
      node('a', `${REGION}: westeurope`, 'azure:///subscriptions/s/vm') +
        node('b', `${REGION}: eu-central-1`, 'aws:///eu-central-1a/i-1'),
    ],
    [
      'the region of zones of its form',
      node('a', `${REGION}: westeurope, ${ZONE}: westeurope-1`) +
        node('b', `${REGION}: eu-central-1, ${ZONE}: eu-central-1a`),
    ],
    [
      'a region that only nodes of no other cloud have',
      node('a', `${REGION}: westeurope, ${ZONE}: "0"`) +
        node('b', `${REGION}: eu-central-1, ${ZONE}: eu-central-1a`),
    ],
  ])('and that NodePool of another cloud each have %s', async (_, nodes) => {
    const text = `${nodes}${pool()}---\n${aNodePool('other')}---\n${aDeployment('web', 1)}`;
    const { report } = await simulateText(text, AZURE);
    expect(report.notes.join()).toContain('those of AWS for eu-central-1');
    expect(report.notes.join()).toContain('those of Azure for westeurope');
  });

  test('a catalogue that is asked for by name is used for every NodePool', async () => {
    const text = `${aNodePool('default')}---\n${aDeployment('web', 1)}`;
    const { report } = await simulateText(text, { catalogue: 'aws' });
    expect(report.nodes[0]!.zone).toMatch(/^us-east-1/);
    const other = await simulateText(`${pool()}---\n${aDeployment('web', 1)}`, { catalogue: 'azure' });
    expect(other.report.nodes[0]!.zone).toMatch(/^eastus/);
  });
});

describe('the generic catalogue', () => {
  test('is used for NodePools of other node classes, also beside one of Azure', async () => {
    const text = `${otherPool('other')}---\n${aDeployment('web', 1)}`;
    const alone = await simulateText(text, AZURE);
    expect(alone.report.nodes[0]!.instanceType).not.toMatch(/^Standard_/);
    const both = await simulateText(`${aNodePool('azure')}---\n${text}`, AZURE);
    expect(both.report.notes.join('\n')).toMatch(/generic catalogue[\s\S]*Azure for/);
  });

  test('is used where it is named, and with --zones', async () => {
    const text = `${aNodePool('default')}---\n${aDeployment('web', 1)}`;
    const named = await simulateText(text, { catalogue: 'generic' });
    expect(named.report.nodes[0]!.instanceType).not.toMatch(/^Standard_/);
    const zones = await simulateText(text, { catalogue: undefined, zones: ['here'] });
    expect(zones.report.nodes[0]!.zone).toBe('here');
  });
});

describe('the StorageClasses of AKS', () => {
  const claim = (name: string, storageClass: string) => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name}, namespace: shop }
spec: { ${storageClass}accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
`;
  const pod = (claimName: string) => `apiVersion: v1
kind: Pod
metadata: { name: db, namespace: shop }
spec:
  containers: [{ name: main }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: ${claimName} } }]
`;

  test.each([
    ['a class of AKS', 'storageClassName: managed-csi-premium, ', 0],
    ['the default class', '', 0],
    ['a class that nobody has', 'storageClassName: gold, ', 1],
  ])('a claim of %s', async (_, storageClass, refused) => {
    const text = `${aNodePool('default')}---\n${claim('data', storageClass)}${pod('data')}`;
    const { report } = await simulateText(text, AZURE);
    expect(report.summary.refused).toBe(refused);
  });

  test('a generic ephemeral volume without a class has the default one, as it would in the cluster', async () => {
    const zonal = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: mine, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
provisioner: disk.csi.azure.com
allowedTopologies: [{ matchLabelExpressions: [{ key: topology.kubernetes.io/zone, values: [eastus-3] }] }]
---
`;
    const ephemeral = pod('data').replace(
      'persistentVolumeClaim: { claimName: data }',
      'ephemeral: { volumeClaimTemplate: { spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } } }',
    );
    const { report } = await simulateText(`${aNodePool('default')}---\n${zonal}${ephemeral}`, AZURE);
    expect(report.nodes[0]!.zone).toBe('eastus-3');
  });

  test('are not assumed for the generic catalogue', async () => {
    const text = `${aNodePool('default')}---\n${claim('data', 'storageClassName: managed-csi, ')}${pod('data')}`;
    const { report } = await simulateText(text, { catalogue: 'generic' });
    expect(report.summary.refused).toBe(1);
  });
});
