/** The contract of clouds on moto: the product's AWS cloud against an EC2 that somebody else wrote. */
import { AWS_STAGES } from '../../packages/chandler/src/cloud/aws/index.ts';
import { contractClaim } from '../aws/aws-cloud.fixture.ts';
import { type CloudFault, type CloudFixture, cloudContract } from '../contract/cloud.contract.ts';
import { allow, deny } from './account.ts';
import { type MotoCloud, motoCloud } from './moto.fixture.ts';
import { MOTO_GAPS } from './moto-gaps.table.ts';

const WAYS: Readonly<Record<CloudFault, (moto: MotoCloud) => Promise<void>>> = {
  unauthorized: ({ account }) => deny(account.clients, 'ec2:CreateFleet'),
  async unreachable(moto) {
    moto.networkFault = 'request lost';
  },
  async answerLost(moto) {
    moto.networkFault = 'answer lost';
  },
  noCapacity: () => cannot('lack capacity'),
  throttled: () => cannot('throttle'),
};

cloudContract(
  'aws on moto',
  async (): Promise<CloudFixture> => {
    const moto = await motoCloud();
    const { clock } = moto.world;
    let broken: CloudFault | undefined;
    return {
      cloud: moto.cloud,
      stages: AWS_STAGES,
      restart: () => moto.startProcess(),
      nodeClass: moto.nodeClass,
      claim: contractClaim,
      advance: (ms) => clock.advance(ms),
      nowMs: () => clock.now(),
      holdings: async () => ({ machines: (await moto.running()).length, parts: 0 }),
      async break(way) {
        await WAYS[way](moto);
        broken = way;
      },
      async repair() {
        moto.networkFault = undefined;
        if (broken === 'unauthorized') await allow(moto.account.clients);
      },
      close: async () => moto.close(),
    };
  },
  MOTO_GAPS,
);

// ---------------------------------------------------------------------------------------------------

async function cannot(what: string): Promise<never> {
  throw new Error(`moto cannot ${what}`);
}
