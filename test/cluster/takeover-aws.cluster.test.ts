/** Taking over from Karpenter on EKS, under the IAM policies of docs/iam.md; the sequence is in takeover-story.ts. */
import { controllerEnvironment, startAws, writeControllerFiles } from '@chandler/cloudsim/aws';
import { ownPolicy } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { PLACE, POLICY } from '../aws/controller-policy.ts';
import { roleObjects } from '../e2e/roles.ts';
import { upstreamObjects } from '../takeover/aws/cluster.ts';
import { CLUSTER_CA } from '../takeover/aws/objects.ts';
import { takeoverStory } from './takeover-story.ts';

takeoverStory({
  title: 'EKS',
  image: 'public.ecr.aws/karpenter/controller:1.14.1',
  args: ['controller', '--cloud=aws'],
  async start(cluster, stage, nodes) {
    const aws = await startAws(cluster.environment, { server: { policies: [POLICY, ownPolicy(PLACE)] } });
    const { server } = aws;
    for (const [resource, object] of roleObjects(undefined, [], 'rbac-aws.yaml'))
      await cluster.admin.create(resource, object);
    await upstreamObjects({ ...stage, server }, nodes);
    const around = { server, serverUrl: cluster.plane.url, kubeconfig: '' };
    const files = await writeControllerFiles(cluster.folder, around);
    const { KUBECONFIG: _, ...env } = controllerEnvironment(around, files);
    return {
      // The hash that Karpenter has printed for the class is one of this authority.
      env: { ...env, CLUSTER_CA_BUNDLE: Buffer.from(CLUSTER_CA).toString('base64') },
      instances: () => [...server.account.active()].map(({ id, state }) => `${id} ${state}`),
      denied: () =>
        server.calls().flatMap(({ action, code = '' }) => (DENIED.test(code) ? [`${action}: ${code}`] : [])),
      stop: () => aws.stop(),
    };
  },
});

const DENIED = /UnauthorizedOperation|AccessDenied/;
