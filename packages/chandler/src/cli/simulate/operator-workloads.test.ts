import { describe, expect, test } from 'vitest';
import { aDeployment, simulateText } from './simulate.fixture.ts';

const TEMPLATE =
  '{ metadata: { labels: { app: x } }, spec: { containers: [{ name: main, resources: { requests: { cpu: "1" } } }] } }';

function manifest(apiVersion: string, kind: string, spec: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: x, namespace: shop }\nspec: ${spec}\n`;
}

/** Names of planned pods. */
async function podsOf(text: string): Promise<string[]> {
  const { report, complaints } = await simulateText(text);
  expect(complaints).toEqual([]);
  return report.nodes.flatMap(({ pods }) => pods.map(({ name }) => name)).sort();
}

describe('workloads of operators become pods', () => {
  test.each([
    ['argoproj.io/v1alpha1', 'Rollout', `{ replicas: 2, template: ${TEMPLATE} }`, ['shop/x-0', 'shop/x-1']],
    [
      'apps.kruise.io/v1alpha1',
      'CloneSet',
      `{ replicas: 2, template: ${TEMPLATE} }`,
      ['shop/x-0', 'shop/x-1'],
    ],
    ['apps.kruise.io/v1beta1', 'StatefulSet', `{ replicas: 1, template: ${TEMPLATE} }`, ['shop/x-0']],
    ['apps.openshift.io/v1', 'DeploymentConfig', `{ template: ${TEMPLATE} }`, ['shop/x-0']],
    [
      'jobset.x-k8s.io/v1alpha2',
      'JobSet',
      `{ replicatedJobs: [{ name: w, replicas: 2, template: { spec: { parallelism: 2, template: ${TEMPLATE} } } }] }`,
      ['shop/x-w-0-0', 'shop/x-w-0-1', 'shop/x-w-1-0', 'shop/x-w-1-1'],
    ],
    [
      'ray.io/v1',
      'RayCluster',
      `{ headGroupSpec: { template: ${TEMPLATE} }, workerGroupSpecs: [{ groupName: gpu, replicas: 2, template: ${TEMPLATE} }] }`,
      ['shop/x-gpu-worker-0', 'shop/x-gpu-worker-1', 'shop/x-head-0'],
    ],
  ])('%s %s', async (apiVersion, kind, spec, pods) => {
    expect(await podsOf(manifest(apiVersion, kind, spec))).toEqual(pods);
  });

  test('a Service of Knative has as many pods as its minimum scale, and a Service of Kubernetes none', async () => {
    const scaled = TEMPLATE.replace(
      'labels: { app: x }',
      'annotations: { autoscaling.knative.dev/min-scale: "2" }',
    );
    const text = [
      manifest('serving.knative.dev/v1', 'Service', `{ template: ${scaled} }`),
      manifest('v1', 'Service', '{ ports: [{ port: 80 }] }'),
    ].join('---\n');
    expect(await podsOf(text)).toEqual(['shop/x-00001-deployment-0', 'shop/x-00001-deployment-1']);
  });

  test.each([
    ['argoproj.io/v1alpha1', 'Rollout', `{ replicas: 2000000000, template: ${TEMPLATE} }`, 'spec.replicas'],
    ['apps.kruise.io/v1alpha1', 'CloneSet', `{ replicas: 300000, template: ${TEMPLATE} }`, 'spec.replicas'],
    ['apps/v1', 'Deployment', `{ replicas: 300000, selector: {}, template: ${TEMPLATE} }`, 'spec.replicas'],
    ['apps/v1', 'StatefulSet', `{ replicas: 2000000000, template: ${TEMPLATE} }`, 'spec.replicas'],
    ['batch/v1', 'Job', `{ parallelism: 2000000000, template: ${TEMPLATE} }`, 'spec.parallelism'],
    [
      'batch/v1',
      'CronJob',
      `{ jobTemplate: { spec: { parallelism: 2000000000, template: ${TEMPLATE} } } }`,
      'spec.jobTemplate.spec.parallelism',
    ],
    [
      'jobset.x-k8s.io/v1alpha2',
      'JobSet',
      `{ replicatedJobs: [{ name: w, replicas: 2000000000, template: { spec: { template: ${TEMPLATE} } } }] }`,
      'spec.replicatedJobs[0].replicas',
    ],
    [
      'ray.io/v1',
      'RayCluster',
      `{ headGroupSpec: { template: ${TEMPLATE} }, workerGroupSpecs: [{ groupName: a, replicas: 60000, numOfHosts: 60000, template: ${TEMPLATE} }] }`,
      'spec.workerGroupSpecs[0].replicas',
    ],
    [
      'serving.knative.dev/v1',
      'Service',
      `{ template: ${TEMPLATE.replace('labels: { app: x }', 'annotations: { autoscaling.knative.dev/min-scale: "900000000000000000000" }')} }`,
      'spec.template.metadata.annotations',
    ],
  ])('too many pods of %s %s are an error with file and field', async (apiVersion, kind, spec, field) => {
    const error: unknown = await simulateText(manifest(apiVersion, kind, spec)).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: 'Failure' });
    const text = (error as Error).message;
    expect(text).toContain(`standard input:4: ${kind}/shop/x: ${field}`);
    expect(text).toContain('200000 pods');
  });

  test('a count that no API server accepts is an error with file and field', async () => {
    const spec = `{ replicatedJobs: [{ name: w, replicas: 5000000000, template: { spec: { template: ${TEMPLATE} } } }] }`;
    await expect(simulateText(manifest('jobset.x-k8s.io/v1alpha2', 'JobSet', spec))).rejects.toThrow(
      'JobSet/shop/x: spec.replicatedJobs[0].replicas: expected at most 2147483647, got 5000000000',
    );
  });

  test('pods of several workloads are counted together', async () => {
    const many = (name: string) =>
      manifest('apps.kruise.io/v1alpha1', 'CloneSet', `{ replicas: 150000, template: ${TEMPLATE} }`).replace(
        'name: x',
        `name: ${name}`,
      );
    await expect(simulateText(`${many('a')}---\n${many('b')}`)).rejects.toThrow(/CloneSet\/shop\/b/);
  });

  test('a Rollout may refer to a Deployment that is scaled to zero', async () => {
    const spec = '{ replicas: 3, workloadRef: { apiVersion: apps/v1, kind: Deployment, name: web } }';
    const text = `${aDeployment('web', 0)}---\n${manifest('argoproj.io/v1alpha1', 'Rollout', spec)}`;
    expect(await podsOf(text)).toEqual(['shop/x-0', 'shop/x-1', 'shop/x-2']);
  });
});
