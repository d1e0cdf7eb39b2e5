import { describe, expect, test } from 'vitest';
import type { AKSNodeClassSpec } from '../../api/index.ts';
import { unsupportedFields } from './support.ts';

const zone = {
  zone: '.',
  queryLogging: 'Error',
  protocol: 'PreferUDP',
  forwardDestination: 'VnetDNS',
  forwardPolicy: 'Random',
  maxConcurrent: 1,
  cacheDuration: '1h',
  serveStaleDuration: '1h',
  serveStale: 'Disable',
} as const;
const localDNS = (mode: 'Required' | 'Preferred' | 'Disabled'): AKSNodeClassSpec => ({
  localDNS: { mode, vnetDNSOverrides: [zone], kubeDNSOverrides: [zone] },
});

describe('fields that would have no effect are refused, not ignored', () => {
  test.each<[string, AKSNodeClassSpec, string]>([
    ['a DNS cache that must run', localDNS('Required'), 'spec.localDNS.mode'],
    ['artifact streaming', { artifactStreaming: { enabled: true } }, 'spec.artifactStreaming.enabled'],
  ])('%s, in mode aksscriptless', (_, spec, path) => {
    const [refusal] = unsupportedFields(spec, 'aksscriptless');
    expect(refusal).toMatchObject({ code: 'unsupportedInMode', path });
    expect(refusal!.message).toContain('bootstrappingclient');
    expect(unsupportedFields(spec, 'bootstrappingclient')).toEqual([]);
  });

  test.each<[string, AKSNodeClassSpec]>([
    ['nothing at all', {}],
    ['a DNS cache where it can be had', localDNS('Preferred')],
    ['no DNS cache', localDNS('Disabled')],
    ['no artifact streaming', { artifactStreaming: { enabled: false } }],
    ['swap', { kubelet: { failSwapOn: false }, linuxOSConfig: { swapFileSize: '8Gi' } }],
    [
      'huge pages and sysctls',
      { linuxOSConfig: { transparentHugePageEnabled: 'never', sysctls: { vmSwappiness: 0 } } },
    ],
    ['a quota period', { kubelet: { cpuCFSQuotaPeriod: '1ms' } }],
    ['unsafe sysctls', { kubelet: { allowedUnsafeSysctls: ['net.core.somaxconn', 'kernel.msg*', 'net.*'] } }],
  ])('%s takes effect', (_, spec) => {
    expect(unsupportedFields(spec, 'aksscriptless')).toEqual([]);
  });

  test('a class without a spec is fine', () => {
    expect(unsupportedFields(undefined, 'aksscriptless')).toEqual([]);
  });
});

describe('values on which a kubelet would not start are refused', () => {
  test.each<[string, AKSNodeClassSpec, string]>([
    ['a period of 2 s', { kubelet: { cpuCFSQuotaPeriod: '2s' } }, 'spec.kubelet.cpuCFSQuotaPeriod'],
    ['a period of 10 µs', { kubelet: { cpuCFSQuotaPeriod: '10us' } }, 'spec.kubelet.cpuCFSQuotaPeriod'],
    ['no period', { kubelet: { cpuCFSQuotaPeriod: 'soon' } }, 'spec.kubelet.cpuCFSQuotaPeriod'],
    [
      'a sysctl that smuggles in a flag',
      { kubelet: { allowedUnsafeSysctls: ['net.core.somaxconn --anonymous-auth=true'] } },
      'spec.kubelet.allowedUnsafeSysctls',
    ],
    [
      'a threshold below the default of the other',
      { kubelet: { imageGCHighThresholdPercent: 70 } },
      'spec.kubelet.imageGCHighThresholdPercent',
    ],
    ['swap beyond any disk', { linuxOSConfig: { swapFileSize: '3Ti' } }, 'spec.linuxOSConfig.swapFileSize'],
  ])('%s', (_, spec, path) => {
    expect(unsupportedFields(spec, 'aksscriptless')).toMatchObject([{ code: 'invalidValue', path }]);
  });
});
