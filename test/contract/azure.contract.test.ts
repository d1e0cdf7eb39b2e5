/** Azure over HTTPS through the official SDKs, against the ARM server of the playground. */
import type { FaultSpec } from '@chandler/cloudsim/azure/testing';
import { azureProvider } from '../../packages/chandler/src/cloud/azure/index.ts';
import { aClaim, inventory, vmCloud } from '../azure/vm-cloud.fixture.ts';
import { type CloudFault, type CloudFixture, cloudContract } from './cloud.contract.ts';

const FAULTS: Readonly<Record<CloudFault, FaultSpec>> = {
  noCapacity: { name: 'allocation' },
  throttled: { name: 'throttle', value: '30', operation: 'PUT virtualMachines' },
  unauthorized: { name: 'forbidden', operation: 'PUT virtualMachines' },
  unreachable: { name: 'lost-request', operation: 'PUT virtualMachines' },
  answerLost: { name: 'lost-response', operation: 'PUT virtualMachines' },
};

cloudContract('azure', async (): Promise<CloudFixture> => {
  const fixture = await vmCloud({ https: true });
  const { server, clock } = fixture;
  return {
    cloud: fixture.cloud,
    stages: azureProvider.stages,
    restart: () => fixture.startProcess().cloud,
    nodeClass: fixture.nodeClass(),
    claim(name, { uid = `uid-${name}`, standalone = false, instanceType } = {}) {
      const type = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [instanceType] };
      return aClaim(name, {
        uid,
        ...(standalone ? { labels: {} } : {}),
        ...(instanceType === undefined ? {} : { spec: { requirements: [type] } }),
      });
    },
    advance: (ms) => clock.advance(ms),
    nowMs: () => clock.now(),
    holdings() {
      const { vms, nics, disks, extensions } = inventory(fixture);
      return { machines: vms.length, parts: nics.length + disks.length + extensions.length };
    },
    break: (way) => void server.faults.add(FAULTS[way]),
    repair: () => server.faults.clear(),
    close: () => fixture.close(),
  };
});
