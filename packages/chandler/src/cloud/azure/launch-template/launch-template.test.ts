import { describe, expect, test } from 'vitest';
import { launchRequest, type VmOverrides } from '../../../../../../test/azure/bootstrap-vms.ts';
import { BootstrapError, type Bootstrapper } from '../../../bootstrap/index.ts';
import { hardcoded } from '../../../settings/index.ts';

import { buildLaunchTemplate } from './launch-template.ts';

const build = (overrides: VmOverrides = {}) => buildLaunchTemplate(launchRequest(overrides));

describe('[001-launch-template] a launch template', () => {
  test('has custom data, image, tags and a placement', async () => {
    const template = await build();
    expect(Buffer.from(template.customData, 'base64').toString()).toContain('KUBELET_NODE_LABELS="');
    expect(template.imageId).toContain('/images/2204gen2containerd/versions/');
    expect(template.placement).toEqual({ zone: 'eastus-1', capacityType: 'on-demand' });
    expect(template.osDisk).toEqual({ sizeGB: 128 });
    expect(template.variables).toHaveLength(128);
  });

  test('takes the image for the architecture and the generation of the size', async () => {
    expect((await build({ size: 'Standard_D4ps_v5' })).imageId).toContain('2204gen2arm64containerd');
    expect((await build({ size: 'Standard_D2_v2' })).imageId).toContain('/2204containerd/');
  });

  test('uses an ephemeral OS disk where it fits', async () => {
    expect((await build({ size: 'Standard_D8ds_v5' })).osDisk).toEqual({
      sizeGB: 128,
      ephemeralPlacement: 'CacheDisk',
    });
    expect((await build({ size: 'Standard_D8ds_v5', spec: { osDiskSizeGB: 2000 } })).osDisk).toEqual({
      sizeGB: 2000,
    });
  });

  test('asks for no zone where none was chosen', async () => {
    expect((await build({ zone: '0' })).placement).toMatchObject({ zone: '0' });
  });

  test('merges tags of options, class and our own, without slashes', async () => {
    const { tags } = await build({
      spec: { tags: { 'team/name': 'shop', level: 'class' } },
      options: { additionalTags: hardcoded({ level: 'option', cost: '1' }) },
    });
    expect(tags).toMatchObject({
      team_name: 'shop',
      level: 'class',
      cost: '1',
      'karpenter.azure.com_cluster': 'shop',
      'karpenter.sh_nodepool': 'workers',
      'compute.aks.billing': 'linux',
    });
  });

  test('a claim that users created carries no tag of a NodePool', async () => {
    const { tags, variables } = await build({ standalone: true });
    expect(tags).not.toHaveProperty('karpenter.sh_nodepool');
    expect(variables.find(({ name }) => name === 'KUBELET_FLAGS')?.value).toContain('unregistered');
  });

  test('asks for ultra disks only when the claim insists', async () => {
    const key = 'karpenter.azure.com/sku-storage-ultra-ssd';
    expect((await build()).ultraSsd).toBe(false);
    expect(
      (await build({ requirements: [{ key, operator: 'In', values: ['true', 'false'] }] })).ultraSsd,
    ).toBe(false);
    const wanted = await build({ requirements: [{ key, operator: 'In', values: ['true'] }] });
    expect(wanted.ultraSsd).toBe(true);
    expect(wanted.labels[key]).toBe('true');
  });

  test('has the labels that the claim gets too, also those that no kubelet may set', async () => {
    const { labels, variables } = await build({ labels: { 'node-role.kubernetes.io/worker': '' } });
    expect(labels['node-role.kubernetes.io/worker']).toBe('');
    const kubeletLabels = variables.find(({ name }) => name === 'KUBELET_NODE_LABELS')!.value;
    expect(kubeletLabels).not.toContain('node-role');
  });

  test('leaves its stages, with sources and without secrets', async () => {
    const { stages } = await build();
    expect(stages.map(({ name }) => name)).toEqual(['image', 'bootstrap', 'launchTemplate']);
    expect(stages[1]!.facts).toMatchObject({ kubernetesVersion: { value: '1.33.2', source: 'cluster' } });
    expect(JSON.stringify(stages)).not.toContain('0123456789abcdef');
  });

  test('hands on the command of a bootstrapping server', async () => {
    const bootstrapper: Bootstrapper = {
      mode: 'bootstrappingclient',
      script: async () => ({ customData: 'eA==', script: 'x', bytes: 1, variables: [], cseCommand: 'run' }),
    };
    const template = await buildLaunchTemplate({ ...launchRequest(), bootstrapper });
    expect(template).toMatchObject({ customData: 'eA==', cseCommand: 'run' });
  });

  test('where the security group is not known, its name is worked out', async () => {
    const request = launchRequest();
    const { networkSecurityGroup: _, ...cluster } = request.cluster;
    const { variables } = await buildLaunchTemplate({ ...request, cluster });
    expect(variables.find(({ name }) => name === 'NETWORK_SECURITY_GROUP')).toMatchObject({
      value: 'aks-agentpool-87654321-nsg',
      source: 'computed',
    });
  });
});

describe('a launch that is impossible', () => {
  test('no image for the size', async () => {
    const request = launchRequest({ size: 'Standard_D4ps_v5' });
    const nodeClass = { ...request.nodeClass, status: { ...request.nodeClass.status!, images: [] } };
    await expect(buildLaunchTemplate({ ...request, nodeClass })).rejects.toMatchObject({
      kind: 'CreateFailed',
      reason: 'ImageNotFound',
      message: expect.stringContaining('Standard_D4ps_v5'),
    });
  });

  test('a field that has no effect', async () => {
    await expect(build({ spec: { artifactStreaming: { enabled: true } } })).rejects.toMatchObject({
      kind: 'NodeClassNotReady',
      reason: 'UnsupportedFields',
    });
  });

  test.each([
    ['serverThrottled', 'Throttled', { retry: 'after', ms: 7000 }],
    ['serverTimeout', 'Unreachable', { retry: 'backoff' }],
    ['serverRefused', 'Unauthorized', { retry: 'backoff' }],
    ['noToken', 'Unauthorized', { retry: 'backoff' }],
  ] as const)('%s reads as %s', async (code, kind, advice) => {
    const bootstrapper: Bootstrapper = {
      mode: 'bootstrappingclient',
      script: () =>
        Promise.reject(
          new BootstrapError(code, 'no', code === 'serverThrottled' ? { retryAfterMs: 7000 } : {}),
        ),
    };
    await expect(buildLaunchTemplate({ ...launchRequest(), bootstrapper })).rejects.toMatchObject({
      name: 'CloudError',
      kind,
      advice,
    });
  });
});
