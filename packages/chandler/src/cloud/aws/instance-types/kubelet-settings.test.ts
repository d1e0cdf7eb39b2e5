import { describe, expect, test } from 'vitest';

import { aList, aNodeClass, aType } from '../aws.fixture.ts';
import { kubeletSettings } from './kubelet-settings.ts';

describe('settings of the kubelet that cannot be used', () => {
  test('are left out: expressions, negative amounts, wrong types', () => {
    expect(
      kubeletSettings({
        maxPods: 'vcpus * 8',
        podsPerCore: -1,
        kubeReserved: { cpu: 'vcpus * 10', memory: '1Gi', pid: 5 },
        systemReserved: { cpu: '-1' },
        evictionHard: { 'memory.available': '5 %', 'nodefs.available': '7.5%' },
      }),
    ).toEqual({
      kubeReserved: { memory: '1Gi' },
      systemReserved: {},
      evictionHard: { 'nodefs.available': '7.5%' },
    });
    expect(kubeletSettings({ kubeReserved: 'cpu=1' })).toEqual(kubeletSettings(undefined));
  });

  test('leave the defaults of the family', () => {
    const { lists } = aList([aType('m5.large')]);
    const [type] = lists.forNodeClass(
      aNodeClass({ kubelet: { maxPods: 'vcpus * 8', kubeReserved: { cpu: 'x' } } }),
    );
    expect(type?.capacity['pods']).toBe('29');
    expect(type?.overhead.kubeReserved['cpu']).toBe('70m');
  });
});
