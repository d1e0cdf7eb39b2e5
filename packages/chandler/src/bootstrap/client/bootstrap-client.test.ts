import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fetch } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../settings/index.ts';
import { aNodeInput } from '../bootstrap.fixture.ts';
import { toBase64 } from '../custom-data.ts';
import { bootstrapClient, bootstrappingUrl } from './bootstrap-client.ts';
import { getWithBody } from './get-with-body.ts';
import { provisionValues } from './provision-values.ts';
import { readResponse, TOKEN_PLACEHOLDER } from './response.ts';

const ANSWER = JSON.stringify({
  customData: toBase64(`token=${TOKEN_PLACEHOLDER}`),
  cse: `run --token ${TOKEN_PLACEHOLDER}`,
});
const CLUSTER = { subscriptionId: 'sub', clusterResourceGroup: 'rg', clusterName: 'shop' };

function client(fetch: Fetch, world = virtualWorld(), token = async () => 'arm-token') {
  return bootstrapClient({
    ...CLUSTER,
    clock: world.clock,
    fetch,
    serverUrl: 'https://nps.example',
    token,
  });
}

const answering =
  (status: number, body = '', headers: Record<string, string> = {}): Fetch =>
  async () =>
    new Response(body, { status, headers });

describe('asking the bootstrapping server', () => {
  test('the node gets the response of the server, with the token inserted', async () => {
    const calls: [string, RequestInit][] = [];
    const rendered = await client(async (url, init) => {
      calls.push([String(url), init!]);
      return new Response(ANSWER);
    }).script(aNodeInput());
    expect(rendered.script).toBe('token=abc123.0123456789abcdef');
    expect(rendered.cseCommand).toBe('run --token abc123.0123456789abcdef');
    const [[url, init]] = calls as [[string, RequestInit]];
    expect(url).toBe(
      'https://nps.example/subscriptions/sub/resourceGroups/rg/providers/Microsoft.ContainerService/managedclusters/shop/nodeBootstrapping',
    );
    expect(init.method).toBe('GET');
    expect(new Headers(init.headers).get('authorization')).toBe('Bearer arm-token');
    expect(JSON.parse(String(init.body))).toEqual(provisionValues(aNodeInput()));
  });

  test('a token with dollar signs is put in letter by letter', () => {
    expect(readResponse(ANSWER, "a$&b$'").script).toBe("token=a$&b$'");
  });

  test.each([
    ['serverRefused', 401, {}, false],
    ['serverRefused', 403, {}, false],
    ['serverThrottled', 429, { 'retry-after': '7' }, true],
    ['serverFailed', 503, {}, true],
    ['serverRejected', 400, {}, false],
  ])('%s is what %i means', async (code, status, headers, retryable) => {
    const failing = client(answering(status, 'secret details', headers)).script(aNodeInput());
    await expect(failing).rejects.toMatchObject({ code, retryable });
    await expect(failing).rejects.not.toThrow('secret details');
    if (status === 429) await expect(failing).rejects.toMatchObject({ retryAfterMs: 7000 });
  });

  test.each([
    ['nothing', ''],
    ['a page', '<html>'],
    ['half an answer', ANSWER.slice(0, 20)],
    ['a list', '[]'],
    ['no command', JSON.stringify({ customData: 'eA==' })],
    ['custom data that is no base64', JSON.stringify({ customData: '<>', cse: 'x' })],
  ])('%s is no answer', async (_, body) => {
    await expect(client(answering(200, body)).script(aNodeInput())).rejects.toMatchObject({
      code: 'serverAnswer',
      retryable: true,
    });
  });

  test('a server that is not there is named as such', async () => {
    const fetch: Fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }));
    await expect(client(fetch).script(aNodeInput())).rejects.toMatchObject({
      code: 'serverUnreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('a token that Azure does not give is no failure of the server, which is not asked', async () => {
    const server: Fetch = () => Promise.reject(new Error('must not be asked'));
    const noToken = async () => Promise.reject(new Error('AADSTS700016: the application was not found'));
    await expect(client(server, virtualWorld(), noToken).script(aNodeInput())).rejects.toMatchObject({
      code: 'noToken',
      retryable: true,
      message: expect.stringMatching(/^no Azure token .*AADSTS700016/),
    });
  });

  test('a token that does not arrive within 30 s is given up, and named', async () => {
    const world = virtualWorld();
    const asked = client(answering(200, ANSWER), world, () => new Promise(() => undefined)).script(
      aNodeInput(),
    );
    const outcome = expect(asked).rejects.toMatchObject({ code: 'noToken', retryable: true });
    await world.clock.advance(30_000);
    await outcome;
  });

  test('a server that is silent for 30 s is given up, and the call is aborted', async () => {
    const world = virtualWorld();
    let signal: AbortSignal | undefined;
    const asked = client((_, init) => {
      signal = init!.signal!;
      return new Promise(() => undefined);
    }, world).script(aNodeInput());
    const outcome = expect(asked).rejects.toMatchObject({ code: 'serverTimeout', retryable: true });
    await world.clock.advance(30_000);
    await outcome;
    expect(signal!.aborted).toBe(true);
  });

  test.each([
    ['nps.example:8080', 'https://nps.example:8080/subscriptions'],
    ['http://nps.example', 'http://nps.example/subscriptions'],
    ['https://nps.example/base/', 'https://nps.example/base/subscriptions'],
  ])('%s is asked at %s…', (serverUrl, start) => {
    expect(bootstrappingUrl({ ...CLUSTER, serverUrl })).toContain(start);
  });

  test('what is no URL of a server is refused', () => {
    expect(() => bootstrappingUrl({ ...CLUSTER, serverUrl: 'ftp://x' })).toThrow('is not a server URL');
  });

  test('a body goes out with GET, over a real connection', async () => {
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      response.setHeader('x-seen', request.method ?? '');
      response.end(Buffer.concat(parts));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
      const answer = await getWithBody()(url, { method: 'GET', body: 'hello', headers: { a: 'b' } });
      expect([answer.status, answer.headers.get('x-seen'), await answer.text()]).toEqual([
        200,
        'GET',
        'hello',
      ]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('the request to the server', () => {
  test.each(['taints', 'startupTaints'])('with karpenter.sh/unregistered once if the %s have it', (list) => {
    const own = hardcoded([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const }]);
    const { nodeTaints, nodeInitializationTaints } = provisionValues(aNodeInput({ node: { [list]: own } }))
      .provisionProfile as Record<string, readonly string[]>;
    expect([...nodeTaints!, ...nodeInitializationTaints!]).toEqual(['karpenter.sh/unregistered:NoExecute']);
  });

  test('about the machine', () => {
    const { provisionProfile, provisionHelperValues } = provisionValues(
      aNodeInput({
        node: {
          labels: { 'kubernetes.azure.com/mode': 'system', 'kubernetes.azure.com/os-sku': 'AzureLinux' },
          taints: hardcoded([{ key: 'a', value: 'b', effect: 'NoSchedule' }]),
          startupTaints: hardcoded([{ key: 'c', effect: 'NoExecute' }]),
          architecture: 'arm64',
          memoryGiB: 3.5,
          ephemeralOsDisk: true,
        },
      }),
    );
    expect(provisionProfile).toMatchObject({
      name: '',
      architecture: 'Arm64',
      osType: 2,
      osSku: 7,
      distro: 'aks-ubuntu-containerd-22.04-gen2',
      vmSize: 'Standard_D4s_v5',
      orchestratorVersion: '1.33.2',
      storageProfile: 'Ephemeral',
      nodeTaints: ['a=b:NoSchedule'],
      nodeInitializationTaints: ['c:NoExecute', 'karpenter.sh/unregistered:NoExecute'],
      maxPods: 250,
      vnetCidrs: [],
      mode: 1,
      securityProfile: { sshAccess: 0 },
    });
    expect(provisionProfile).not.toHaveProperty('gpuProfile');
    expect(provisionHelperValues).toEqual({ skuCPU: 4, skuMemory: 3 });
  });

  test('about its GPU: every grid driver is a grid driver', () => {
    const gpu = (type: 'grid-v20' | 'cuda-lts') => ({
      gpu: { manufacturer: 'nvidia' as const, driver: { type, version: '1', imageTag: '1' } },
    });
    expect(provisionValues(aNodeInput({ node: gpu('grid-v20') })).provisionProfile['gpuProfile']).toEqual({
      driverType: 2,
      installGPUDriver: true,
    });
    const own = aNodeInput({ node: gpu('cuda-lts'), spec: { gpu: { mode: 'None' } } });
    expect(provisionValues(own).provisionProfile['gpuProfile']).toEqual({
      driverType: 3,
      installGPUDriver: false,
    });
  });

  test('about the node class, all that the other mode ignores or refuses too', () => {
    const zone = {
      zone: '.',
      queryLogging: 'Error',
      protocol: 'PreferUDP',
      forwardDestination: 'VnetDNS',
      forwardPolicy: 'Random',
      maxConcurrent: 9,
      cacheDuration: '1h30m',
      serveStaleDuration: '30s',
      serveStale: 'Disable',
    } as const;
    const { provisionProfile } = provisionValues(
      aNodeInput({
        localDnsEnabled: true,
        spec: {
          fipsMode: 'FIPS',
          security: { trustedLaunch: { vtpm: true } },
          artifactStreaming: { enabled: true },
          kubelet: {
            cpuCFSQuotaPeriod: '50ms',
            failSwapOn: false,
            containerLogMaxSize: '10Mi',
            podPidsLimit: 9,
          },
          linuxOSConfig: { swapFileSize: '1Gi', sysctls: { netIPv4TCPKeepaliveIntvl: 20, fsFileMax: 9000 } },
          localDNS: { mode: 'Preferred', vnetDNSOverrides: [zone], kubeDNSOverrides: [] },
        },
      }),
    );
    expect(provisionProfile).toMatchObject({
      enableFIPS: true,
      securityProfile: { sshAccess: 0, enableVTPM: true },
      artifactStreamingProfile: { enabled: true },
      customKubeletConfig: {
        cpuCfsQuotaPeriod: '50ms',
        failSwapOn: false,
        containerLogMaxSizeMB: 10,
        podMaxPids: 9,
      },
      customLinuxOSConfig: {
        swapFileSizeMB: 1024,
        sysctls: { netIpv4TcpkeepaliveIntvl: 20, fsFileMax: 9000 },
      },
      localDNSProfile: {
        mode: 'Required',
        vnetDNSOverrides: {
          '.': { maxConcurrent: 9, cacheDurationInSeconds: 5400, serveStaleDurationInSeconds: 30 },
        },
      },
    });
  });

  test('nothing, for an image that AKS has no name for', () => {
    const { distro: _, ...node } = aNodeInput().node;
    expect(() => provisionValues({ ...aNodeInput(), node })).toThrow('distribution name');
  });
});
