/** Taking over from Karpenter on AKS; the sequence is in takeover-story.ts. */
import { controllerEnvironment, startAzure, writeControllerFiles } from '@chandler/cloudsim/azure';
import { roleObjects } from '../e2e/roles.ts';
import { addNodes, upstreamEnvironment, upstreamOwners } from '../takeover/azure/cluster.ts';
import { takeoverStory } from './takeover-story.ts';

takeoverStory({
  title: 'AKS',
  image: 'mcr.microsoft.com/aks/karpenter/controller:1.6.5',
  args: ['controller'],
  async start(cluster, stage, nodes) {
    const azure = await startAzure(cluster.environment);
    const { arm } = azure;
    for (const [resource, object] of roleObjects(azure.bootstrapToken))
      await cluster.admin.create(resource, object);
    const owners = await upstreamOwners({ ...stage, arm });
    await addNodes({ ...stage, arm }, owners, nodes);
    const around = { azure, serverUrl: cluster.plane.url, kubeconfig: '' };
    const files = await writeControllerFiles(cluster.folder, around);
    const { KUBECONFIG: _, ...env } = controllerEnvironment(around, files);
    return {
      env: { ...env, ...upstreamEnvironment(owners.place) },
      instances: () => arm.resources.vms().map(({ name }) => name),
      denied: () =>
        arm.resources
          .calls()
          .flatMap(({ method, path, status }) => (status === 403 ? [`${method} ${path}`] : [])),
      stop: () => azure.stop(),
    };
  },
});
