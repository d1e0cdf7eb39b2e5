/** AWS through the official SDK, against the simulated AWS of the playground. */
import type { FaultSpec } from '@chandler/cloudsim/aws/testing';
import { AWS_STAGES } from '../../packages/chandler/src/cloud/aws/index.ts';
import { awsCloud, contractClaim } from '../aws/aws-cloud.fixture.ts';
import { type CloudFault, type CloudFixture, cloudContract } from './cloud.contract.ts';

const FAULTS: Readonly<Record<CloudFault, FaultSpec>> = {
  noCapacity: { name: 'capacity' },
  throttled: { name: 'throttle', operation: 'ec2:CreateFleet' },
  unauthorized: { name: 'forbidden', operation: 'ec2:CreateFleet' },
  unreachable: { name: 'lost-request', operation: 'ec2:CreateFleet' },
  answerLost: { name: 'lost-response', operation: 'ec2:CreateFleet' },
};

cloudContract('aws', async (): Promise<CloudFixture> => {
  const fixture = await awsCloud();
  const { server, clock } = fixture;
  return {
    cloud: fixture.cloud,
    stages: AWS_STAGES,
    restart: () => fixture.startProcess().cloud,
    nodeClass: fixture.nodeClass(),
    claim: contractClaim,
    advance: (ms) => clock.advance(ms),
    nowMs: () => clock.now(),
    // Volumes and network interfaces go with their instance; launch templates are shared, and deleted when none uses them.
    holdings: () => ({ machines: fixture.running().length, parts: 0 }),
    break: (way) => void server.faults.add(FAULTS[way]),
    repair: () => server.faults.clear(),
    close: () => fixture.close(),
  };
});
