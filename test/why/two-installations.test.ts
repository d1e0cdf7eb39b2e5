/** One cluster, a controller for each of two clouds: `why` answers from the one that the question is about. */
import { expect, test } from 'vitest';
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import type { CloudDiagnosis } from '../../packages/chandler/src/cloud/index.ts';
import { DIAGNOSES } from '../../packages/chandler/src/cloud/registry.ts';
import {
  dumpReader,
  encodeDump,
  findCloud,
  gather,
  openDump,
  parseSubject,
  walkChecklist,
} from '../../packages/chandler/src/diagnose/index.ts';
import { scrubber } from '../../packages/chandler/src/diagnose/testing.ts';

import { awsClaim, awsPool } from './aws-objects.ts';
import { aController, aPool, type ControllerWords } from './cluster-objects.ts';
import { dumpWith } from './corpus.ts';
import { aClaim, before, merged } from './objects.ts';

const AZURE = { VNET_SUBNET_ID: '/subscriptions/s/x', ARM_RESOURCE_GROUP: 'shop' };
const AWS = { INTERRUPTION_QUEUE: 'shop', AWS_REGION: 'eu-west-1' };

/** A Deployment in a namespace of its own, with nothing but these variables. */
function installation(namespace: string, words: ControllerWords): ReadObject {
  const deployment = aController(words).find(({ kind }) => kind === 'Deployment')!;
  const env = Object.entries(words.env ?? {}).map(([name, value]) => ({ name, value }));
  const container = {
    name: 'controller',
    image: `registry.example/${namespace}:1.0.0`,
    env,
    args: words.args,
  };
  return merged(deployment, {
    metadata: { namespace },
    spec: { template: { spec: { containers: [container] } } },
  });
}

const OBJECTS = [
  merged(aPool(), { metadata: { name: 'default-azure' } }),
  merged(aPool(), { metadata: { name: 'second-azure' } }),
  merged(awsPool(), { metadata: { name: 'default-aws' } }),
  merged(aClaim(), { metadata: { name: 'default-azure-1' } }),
  merged(awsClaim(), { metadata: { name: 'default-aws-1' } }),
];

async function asked(ask: string, objects: readonly ReadObject[]) {
  const subject = parseSubject([ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const read = (cloud?: CloudDiagnosis) => {
    const all = [...OBJECTS, ...objects];
    const shown = cloud === undefined ? all : all.map(scrubber(cloud.options.table));
    return dumpReader(openDump(encodeDump(dumpWith(shown, {}, []), false)));
  };
  const { row } = await findCloud(DIAGNOSES, read(), subject);
  const cloud = await row!.diagnosis();
  const gathered = await gather(subject, { reader: read(cloud), cloud });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return { cloud: cloud.name, evidence: gathered.evidence };
}

async function deploymentFor(ask: string, objects: readonly ReadObject[]): Promise<string | undefined> {
  return (await asked(ask, objects)).evidence.first('controller')?.deployment;
}

const NAMED: readonly (readonly [string, ControllerWords, ControllerWords])[] = [
  ['a variable', { env: { CHANDLER_CLOUD: 'azure' } }, { env: { CHANDLER_CLOUD: 'aws' } }],
  ['a flag', { args: ['controller', '--cloud=azure'] }, { args: ['controller', '--cloud', 'aws'] }],
  ['the options of its cloud', { env: AZURE }, { env: AWS }],
];

test.each(NAMED)('the controller of a claim is the one of its cloud, by %s', async (_, azure, aws) => {
  const both = [installation('a-azure', azure), installation('b-aws', { ...aws, replicas: 0 })];
  expect(await deploymentFor('nodeclaim/default-azure-1', both)).toBe('a-azure/karpenter');
  expect(await deploymentFor('nodeclaim/default-aws-1', both)).toBe('b-aws/karpenter');
  const turned = [installation('a-aws', aws), installation('b-azure', { ...azure, replicas: 0 })];
  expect(await deploymentFor('nodeclaim/default-azure-1', turned)).toBe('b-azure/karpenter');
  expect(await deploymentFor('nodeclaim/default-aws-1', turned)).toBe('a-aws/karpenter');
});

test('during a migration within one cloud the one that runs is read, also if only the other names the cloud', async () => {
  const both = [
    installation('karpenter', { env: AWS }),
    installation('chandler', { env: { ...AWS, CHANDLER_CLOUD: 'aws' }, replicas: 0 }),
  ];
  expect(await deploymentFor('nodeclaim/default-aws-1', both)).toBe('karpenter/karpenter');
});

test('a controller for another cloud is none', async () => {
  const { evidence } = await asked('nodeclaim/default-aws-1', [
    installation('a-azure', { env: { CHANDLER_CLOUD: 'azure' } }),
  ]);
  expect(evidence.first('controller')).toBeUndefined();
  expect(evidence.unread.map(({ message }) => message)).toContain('a-azure/karpenter: for another cloud');
});

test('a failed claim that is gone is explained from the namespace of its controller, as one of its cloud', async () => {
  const kept = {
    at: before('5m'),
    metadata: { name: 'default-aws-2', uid: 'u', creationTimestamp: before('10m') },
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } },
    status: { conditions: [] },
  };
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'chandler-failed-journeys', namespace: 'chandler-aws' },
    data: { 'default-aws-2': JSON.stringify(kept) },
  };
  const { cloud, evidence } = await asked('nodeclaim/default-aws-2', [configMap]);
  expect(cloud).toBe('aws');
  expect(evidence.first('nodeClaim')?.name).toBe('default-aws-2');
});

test('a checklist is about the NodePools and NodeClaims of its cloud', async () => {
  const cloud = await DIAGNOSES.find(({ name }) => name === 'azure')!.diagnosis();
  const newer = ['10m', '9m', '8m'].map((age, index) =>
    merged(awsClaim(), { metadata: { name: `default-aws-${index}`, creationTimestamp: before(age) } }),
  );
  const older = merged(aClaim(), {
    metadata: { name: 'default-azure-1', creationTimestamp: before('2h') },
  });
  const walked = async (...claims: readonly ReadObject[]) => {
    const pools = OBJECTS.filter(({ kind }) => kind === 'NodePool');
    const reader = dumpReader(openDump(encodeDump(dumpWith([...pools, ...claims], {}, []), false)));
    return JSON.stringify(await walkChecklist(cloud.checklists[0]!, { cloud, reader }));
  };
  const none = await walked(...newer);
  expect(none).toContain('there is no NodeClaim yet');
  expect(none).not.toContain('EC2NodeClass');
  const some = await walked(...newer, older);
  expect(some).not.toContain('there is no NodeClaim yet');
  expect(some).toContain('default-azure-1');
  expect(some).not.toContain('default-aws');
});
