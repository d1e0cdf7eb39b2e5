import { describe, expect, test } from 'vitest';
import { ArmError } from '../../../arm/index.ts';
import { conditionOf, IMAGES, nodeClassOf, SUBNET, scene } from './node-class.fixture.ts';
import { usableImages, usableKubernetesVersion } from './usable.ts';

const notFound = new ArmError({ status: 404, code: 'ResourceNotFound', message: 'gone' });

describe('a new node class', () => {
  test('becomes Ready in one go', async () => {
    const { status, requeueAfterMs, errors, changed } = await scene().status.reconcile(nodeClassOf());
    expect(status).toMatchObject({ kubernetesVersion: '1.34.2', images: IMAGES, localDNSState: 'Disabled' });
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True', observedGeneration: 1 });
    expect(conditionOf(status, 'DiskEncryptionVerified')).toBeUndefined();
    expect(requeueAfterMs).toBe(3 * 60_000);
    expect(errors).toEqual([]);
    expect(changed).toBe(true);
  });

  test('has nothing to write the second time', async () => {
    const { status: first } = await scene().status.reconcile(nodeClassOf());
    const again = await scene().status.reconcile(nodeClassOf({}, { status: first }));
    expect(again.changed).toBe(false);
    expect(again.status).toEqual(first);
  });
});

describe('parts', () => {
  test('do not stop each other: the later ones answer although the first two fail', async () => {
    const fails = async () => {
      throw new Error('no answer');
    };
    const { status, errors } = await scene({
      deps: { kubernetesVersion: fails, findImages: fails },
    }).status.reconcile(nodeClassOf());
    expect(errors.map((error) => error.part)).toEqual(['kubernetes version']);
    expect(conditionOf(status, 'KubernetesVersionReady')).toMatchObject({ status: 'Unknown' });
    expect(conditionOf(status, 'ImagesReady')).toMatchObject({ status: 'Unknown' });
    expect(conditionOf(status, 'SubnetsReady')).toMatchObject({ status: 'True' });
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'Unknown' });
  });
});

describe('a reconcile that is stopped', () => {
  test('ends at once with the reason of the abort, and writes no status', async () => {
    const stop = new AbortController();
    const read: AbortSignal[] = [];
    const { status } = scene({
      deps: {
        subnet: {
          clusterSubnetID: () => ({ value: SUBNET, source: 'env', path: 'VNET_SUBNET_ID' }),
          nodeResourceGroup: () => 'MC_rg_cluster_westeurope',
          hasOverlay: () => true,
          get: (_, signal) => {
            read.push(signal);
            stop.abort(new Error('the operator was stopped'));
            return new Promise(() => undefined);
          },
        },
      },
    });
    await expect(status.reconcile(nodeClassOf(), stop.signal)).rejects.toThrow('the operator was stopped');
    expect(read).toEqual([stop.signal]);
  });
});

describe('the Kubernetes version', () => {
  const earlier = async () => (await scene().status.reconcile(nodeClassOf())).status;
  const at = (value: string, asked: boolean[] = []) =>
    scene({
      deps: {
        kubernetesVersion: async () => ({ value, source: 'cluster', path: '/version' }),
        findImages: async ({ takeNewest }) => {
          asked.push(takeNewest);
          return { images: IMAGES };
        },
      },
    });

  test('rises, and the images are taken again at once', async () => {
    const asked: boolean[] = [];
    const { status } = await at('v1.35.0', asked).status.reconcile(
      nodeClassOf({}, { status: await earlier() }),
    );
    expect(status.kubernetesVersion).toBe('1.35.0');
    expect(asked).toEqual([true]);
    expect(conditionOf(status, 'ImagesReady')).toMatchObject({ status: 'True' });
  });

  test('does not fall, and images stay as the window wants them', async () => {
    const asked: boolean[] = [];
    const { status } = await at('v1.34.1', asked).status.reconcile(
      nodeClassOf({}, { status: await earlier() }),
    );
    expect(status.kubernetesVersion).toBe('1.34.2');
    expect(asked).toEqual([false]);
  });

  test('is compared by number', async () => {
    const { status } = await at('v1.34.10').status.reconcile(nodeClassOf({}, { status: await earlier() }));
    expect(status.kubernetesVersion).toBe('1.34.10');
  });
});

describe('images', () => {
  test('that are refused leave the status, with the reason', async () => {
    const refused = { reason: 'SIGRequiredForFIPS', message: 'FIPS images need USE_SIG' };
    const { status } = await scene({ deps: { findImages: async () => ({ refused }) } }).status.reconcile(
      nodeClassOf({}, { status: { images: IMAGES } }),
    );
    expect(status.images).toBeUndefined();
    expect(conditionOf(status, 'ImagesReady')).toMatchObject({
      status: 'False',
      reason: 'SIGRequiredForFIPS',
    });
  });

  test('that do not exist are NotFound', async () => {
    const { status } = await scene({ deps: { findImages: async () => ({ images: [] }) } }).status.reconcile(
      nodeClassOf(),
    );
    expect(conditionOf(status, 'ImagesReady')).toMatchObject({ reason: 'ImagesNotFound' });
  });
});

describe('the subnet', () => {
  const subnets = async (vnetSubnetID: string | undefined, cluster = SUBNET, get = async () => ({})) => {
    const base = scene().deps.subnet;
    const result = await scene({
      deps: {
        subnet: {
          ...base,
          clusterSubnetID: () => ({ value: cluster, source: 'env', path: 'VNET_SUBNET_ID' }),
          get,
        },
      },
    }).status.reconcile(nodeClassOf(vnetSubnetID === undefined ? {} : { vnetSubnetID }));
    return { ...result, condition: conditionOf(result.status, 'SubnetsReady') };
  };

  test('may be written in another case than the cluster writes its own', async () => {
    const { condition } = await subnets(SUBNET.replace('nodes', 'more').toUpperCase());
    expect(condition).toMatchObject({ status: 'True' });
  });

  test.each([
    ['of another network', SUBNET.replace('vnet/', 'other/'), SUBNET, 'must match'],
    ['that is none', 'nodes', SUBNET, 'does not start with /'],
    [
      'in a network that AKS manages',
      SUBNET.replace('net/', 'MC_rg_cluster_westeurope/').replace('vnet/', 'aks-vnet-12345678/'),
      SUBNET.replace('net/', 'MC_rg_cluster_westeurope/').replace(
        'vnet/subnets/nodes',
        'aks-vnet-12345678/subnets/aks-subnet',
      ),
      'AKS manages',
    ],
  ])('%s is refused', async (_, own, cluster, words) => {
    const { condition, errors } = await subnets(own, cluster);
    expect(condition).toMatchObject({ status: 'False', reason: 'SubnetIDInvalid' });
    expect(condition?.message).toContain(words);
    expect(errors).toEqual([]);
  });

  test('that does not exist is NotFound, one that cannot be read is Unknown, and both are read again', async () => {
    const gone = await subnets(undefined, SUBNET, () => Promise.reject(notFound));
    expect(gone.condition).toMatchObject({ status: 'False', reason: 'SubnetNotFound' });
    expect(gone.errors).toHaveLength(1);
    const silent = await subnets(undefined, SUBNET, () => Promise.reject(new Error('reset')));
    expect(silent.condition).toMatchObject({ status: 'False', reason: 'SubnetUnknownError' });
  });
});

describe('a subnet with a name that is no label value', () => {
  const id = `${SUBNET}-${'x'.repeat(60)}`;
  const conditionWith = async (hasOverlay: boolean) => {
    const { subnet } = scene().deps;
    const clusterSubnetID = () => ({ value: id, source: 'env', path: 'VNET_SUBNET_ID' }) as const;
    const { status } = scene({
      deps: { subnet: { ...subnet, clusterSubnetID, hasOverlay: () => hasOverlay } },
    });
    return conditionOf((await status.reconcile(nodeClassOf())).status, 'SubnetsReady');
  };

  test('is used, and the condition says that nodes do not get the label', async () => {
    expect(await conditionWith(true)).toMatchObject({
      status: 'True',
      reason: 'SubnetsReady',
      message: expect.stringContaining('kubernetes.azure.com/network-subnet'),
    });
  });

  test('needs no message where nodes have no such label', async () => {
    expect(await conditionWith(false)).toMatchObject({ status: 'True', message: '' });
  });
});

describe('a condition that was True', () => {
  const { subnet } = scene().deps;
  const ready = async () => (await scene().status.reconcile(nodeClassOf())).status;
  const failing = (thrown: unknown) =>
    scene({ deps: { subnet: { ...subnet, get: () => Promise.reject(thrown) } } }).status;
  const error = (code: string, status?: number) => new ArmError({ code, status, message: 'no' });

  test.each([
    ['our own rate limit', error('HeldBack')],
    ['throttling', error('TooManyRequests', 429)],
    ['a timeout', error('RequestTimeout', 408)],
    ['an outage', error('ServiceUnavailable', 503)],
    ['a connection that breaks', new Error('reset')],
    ['an answer that is none', error('BadAnswer', 400)],
    ['a page of a proxy', Object.assign(new Error('HTTP 403'), { statusCode: 403 })],
    ['no token', error('NoToken')],
    ['a token that is not accepted', error('InvalidAuthenticationToken', 401)],
  ])('stays so for the subnet after %s, and the error is reported', async (_, thrown) => {
    const before = await ready();
    const { status, changed, errors } = await failing(thrown).reconcile(nodeClassOf({}, { status: before }));
    expect(conditionOf(status, 'SubnetsReady')).toEqual(conditionOf(before, 'SubnetsReady'));
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
    expect([changed, errors.map(({ part }) => part)]).toEqual([false, ['subnet']]);
  });

  test.each([
    ['Azure denies the subnet', error('AuthorizationFailed', 403), 1, 'SubnetUnknownError'],
    ['the subnet is gone', notFound, 1, 'SubnetNotFound'],
    ['the class was edited since', error('TooManyRequests', 429), 2, 'SubnetUnknownError'],
  ])('does not stay so when %s', async (_, thrown, generation, reason) => {
    const status = await ready();
    const found = await failing(thrown).reconcile(nodeClassOf({}, { status, generation }));
    expect(conditionOf(found.status, 'SubnetsReady')).toMatchObject({ status: 'False', reason });
  });

  test('does not stay so for another subnet than the one that was read', async () => {
    let id = SUBNET;
    const clusterSubnetID = () => ({ value: id, source: 'env', path: 'VNET_SUBNET_ID' }) as const;
    const get = async () => {
      if (id !== SUBNET) throw error('TooManyRequests', 429);
    };
    const { status } = scene({ deps: { subnet: { ...subnet, clusterSubnetID, get } } });
    const first = await status.reconcile(nodeClassOf());
    id = `${SUBNET}-2`;
    const second = await status.reconcile(nodeClassOf({}, { status: first.status }));
    expect(conditionOf(second.status, 'SubnetsReady')).toMatchObject({ reason: 'SubnetUnknownError' });
  });
});

describe('the local DNS', () => {
  const zone = { mode: 'Preferred' as const, vnetDNSOverrides: [], kubeDNSOverrides: [] };
  const dns = (version: string, changes: object, spec: object = {}, state?: 'Enabled') =>
    scene({
      deps: {
        kubernetesVersion: async () => ({ value: version, source: 'cluster', path: '/version' }),
        localDns: { ...scene().deps.localDns, ...changes },
      },
    }).status.reconcile(
      nodeClassOf(
        { localDNS: zone, ...spec },
        state === undefined ? {} : { status: { localDNSState: state } },
      ),
    );

  test.each([
    ['nothing prevents it', '1.36.0', {}, {}, 'Enabled'],
    ['Kubernetes is too old', '1.35.9', {}, {}, 'Disabled'],
    ['the mode cannot set it up', '1.36.0', { supported: () => false }, {}, 'Disabled'],
    ['the network plugin is unknown', '1.36.0', { networkPlugin: () => 'none' }, {}, 'Disabled'],
    ['the image is Ubuntu 20.04', '1.36.0', {}, { fipsMode: 'FIPS', imageFamily: 'Ubuntu' }, 'Disabled'],
    [
      'a policy could cut it off',
      '1.36.0',
      { networkPolicy: () => 'Cilium', hasNetworkPolicies: async () => true },
      {},
      'Disabled',
    ],
    ['there is another already', '1.36.0', { hasNodeLocalDns: async () => true }, {}, 'Disabled'],
  ])('Preferred: %s', async (_, version, changes, spec, state) => {
    expect((await dns(version, changes, spec)).status.localDNSState).toBe(state);
  });

  test('once on stays on while Preferred', async () => {
    expect((await dns('1.35.0', { supported: () => false }, {}, 'Enabled')).status.localDNSState).toBe(
      'Enabled',
    );
  });

  test('that was decided stays so while the cluster does not answer', async () => {
    const silent = { hasNodeLocalDns: () => Promise.reject(new Error('reset')) };
    const decided = await dns('1.36.0', { hasNodeLocalDns: async () => true });
    const again = await scene({
      deps: {
        kubernetesVersion: async () => ({ value: '1.36.0', source: 'cluster', path: '/version' }),
        localDns: { ...scene().deps.localDns, ...silent },
      },
    }).status.reconcile(nodeClassOf({ localDNS: zone }, { status: decided.status }));
    expect(again.status.localDNSState).toBe('Disabled');
    expect(conditionOf(again.status, 'LocalDNSReady')).toMatchObject({ status: 'True' });
    expect(again.errors).toHaveLength(1);
  });

  test('is not ready while the cluster does not answer', async () => {
    const { status, errors } = await dns('1.36.0', {
      hasNodeLocalDns: () => Promise.reject(new Error('reset')),
    });
    expect(conditionOf(status, 'LocalDNSReady')).toMatchObject({
      status: 'False',
      reason: 'CheckingClusterRequirementsFailed',
    });
    expect(errors).toHaveLength(1);
  });

  test.each([
    ['Required', 'Enabled'],
    ['Disabled', 'Disabled'],
  ] as const)('%s is %s', async (mode, state) => {
    const { status } = await dns('1.30.0', {}, { localDNS: { ...zone, mode } });
    expect(status.localDNSState).toBe(state);
  });
});

describe('a launch may use', () => {
  test('version and images only for the spec they were found for', async () => {
    const { status } = await scene().status.reconcile(nodeClassOf());
    expect(usableKubernetesVersion(nodeClassOf({}, { status }))).toEqual({ value: '1.34.2' });
    expect(usableImages(nodeClassOf({}, { status }))).toEqual({ value: IMAGES });
    const edited = nodeClassOf({ osDiskSizeGB: 64 }, { status, generation: 2 });
    expect(usableKubernetesVersion(edited)).toEqual({
      notUsable: 'KubernetesVersionReady is for generation 1, but the spec has generation 2',
    });
    expect(usableImages(nodeClassOf())).toEqual({ notUsable: 'ImagesReady is not set yet' });
  });
});
