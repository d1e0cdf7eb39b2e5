import { DEPLOYMENTS, EVENTS, JOBS, type KubeClient, REPLICA_SETS, STATEFUL_SETS } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aCluster, aTemplate, statusOf, until } from './cluster.ts';

const NAMESPACE = 'default';
const metadata = (name: string) => ({ name, namespace: NAMESPACE });
const resource = (plural: string, group: string, kind: string) =>
  ({ group, version: 'v1', plural, kind, namespaced: true }) as never;
const QUOTAS = resource('resourcequotas', '', 'ResourceQuota');
const LIMIT_RANGES = resource('limitranges', '', 'LimitRange');

function template(name: string, spec: object = {}) {
  const whole = aTemplate(name) as { metadata: object; spec: object };
  return { ...whole, spec: { ...whole.spec, ...spec } };
}

function deployment(name: string, replicas: number, spec: object = {}) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(name),
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, spec) },
  } as never;
}

/** The message of the first event FailedCreate on an object of the kind. */
async function failedCreate(client: KubeClient, kind: string): Promise<string> {
  const found = await until(`an event FailedCreate on a ${kind}`, async () => {
    const { items } = await client.list(EVENTS, { namespace: NAMESPACE });
    return (items as unknown as EventShape[]).find(
      ({ reason, involvedObject, type }) =>
        reason === 'FailedCreate' && involvedObject.kind === kind && type === 'Warning',
    );
  });
  return (found as EventShape).message;
}

interface EventShape {
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string };
}

type Conditions = readonly { readonly type: string; readonly reason: string; readonly message: string }[];

describe('pods that the API server refuses, on the playground', () => {
  test('a quota: an event on the ReplicaSet, and the condition ReplicaFailure until there is room again', async () => {
    const { client } = await aCluster();
    await client.create(QUOTAS, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: metadata('small'),
      spec: { hard: { pods: '2' } },
    } as never);
    await client.create(DEPLOYMENTS, deployment('web', 3));
    expect(await failedCreate(client, 'ReplicaSet')).toMatch(
      /^Error creating: pods "web-.*exceeded quota: small/,
    );
    const failure = async () =>
      ((await statusOf(client, DEPLOYMENTS, metadata('web')))['conditions'] as Conditions | undefined)?.find(
        ({ type }) => type === 'ReplicaFailure',
      );
    expect(await until('the Deployment says so', failure)).toMatchObject({ reason: 'FailedCreate' });
    const { items } = await client.list(REPLICA_SETS, { namespace: NAMESPACE });
    expect((items[0]?.status?.conditions as Conditions | undefined)?.[0]?.message).toContain(
      'exceeded quota: small',
    );
    await client.patch(QUOTAS, metadata('small'), {
      type: 'merge',
      patch: { spec: { hard: { pods: '5' } } },
    });
    await until(
      'all pods exist',
      async () => (await statusOf(client, DEPLOYMENTS, metadata('web')))['replicas'] === 3,
    );
    await until('the condition is gone', async () => (await failure()) === undefined);
  });

  test('a LimitRange', async () => {
    const { client } = await aCluster();
    await client.create(LIMIT_RANGES, {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: metadata('bounds'),
      spec: { limits: [{ type: 'Container', max: { cpu: '100m' } }] },
    } as never);
    const containers = [
      { name: 'main', image: 'a', resources: { requests: { cpu: '2' }, limits: { cpu: '2' } } },
    ];
    await client.create(DEPLOYMENTS, deployment('web', 1, { containers }));
    expect(await failedCreate(client, 'ReplicaSet')).toContain('maximum cpu usage per Container is 100m');
  });

  test('a PriorityClass that does not exist, of a Job', async () => {
    const { client } = await aCluster();
    const spec = { priorityClassName: 'urgent', restartPolicy: 'Never' };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: metadata('report'),
      spec: { template: template('report', spec) },
    };
    await client.create(JOBS, job as never);
    expect(await failedCreate(client, 'Job')).toContain('no PriorityClass with name urgent was found');
  });

  test('a ServiceAccount that does not exist, of a StatefulSet', async () => {
    const { client } = await aCluster();
    await client.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: metadata('db'),
      spec: {
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: template('db', { serviceAccountName: 'robot' }),
      },
    } as never);
    expect(await failedCreate(client, 'StatefulSet')).toBe(
      'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found',
    );
  });
});
