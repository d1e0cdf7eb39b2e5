/** Deliberate bugs that are about Azure. See `deliberate-bugs.ts` above. */
import { neverAborted } from '@chandler/kube/testing';
import { beside, blind, replacing, withCloud, without, withPrices } from '../bug-seams.ts';
import type { DeliberateBug } from '../deliberate-bug.ts';
import type { Seams } from '../process.ts';
import { DISK_ENCRYPTION } from './azure-swarm.ts';

const OTHER_CLASS = /"group":"karpenter\.k8s\.aws","kind":"EC2NodeClass","name":"default"/g;
const OWN_CLASS = '"group":"karpenter.azure.com","kind":"AKSNodeClass","name":"one"';

export const AZURE_BUGS: readonly DeliberateBug[] = [
  {
    name: 'VM names contain the process name, so that the next process does not find them',
    foundBy: 'one VM per NodeClaim',
    scenario: { killAtAnswer: /^arm PUT .*virtualMachines/ },
    seams: {
      parts: withCloud((cloud, { name }) => ({
        create: ({ claim, ...rest }) => {
          const metadata = { ...claim.metadata, name: `${claim.metadata.name}-${name}` };
          return cloud.create({ ...rest, claim: { ...claim, metadata } }, neverAborted());
        },
      })),
    },
  },
  {
    name: 'a refusal of the disk encryption set is not recognised',
    foundBy: 'a refused disk encryption set holds launches',
    scenario: { cloud: ['key-disabled@phase=async'], features: [DISK_ENCRYPTION] },
    seams: { cloudFetch: replacing(/KeyVaultKeyDisabled/g, 'InternalExecutionError') },
  },
  {
    name: 'garbage collection is disabled',
    foundBy: 'no leaked resources',
    seams: { controllers: without('nodeclaim.garbagecollection', 'networkinterface.garbagecollection') },
  },
  {
    name: 'the custom data of a VM is logged',
    foundBy: 'no leaked secrets',
    seams: {
      cloudFetch: beside(({ log }, { body }) => {
        const customData = body?.properties?.osProfile?.customData as string | undefined;
        if (customData !== undefined)
          log.debug('custom data', { text: Buffer.from(customData, 'base64').toString() });
      }),
    },
  },
  {
    name: '429 is handled like any other error',
    foundBy: 'rate limits',
    scenario: { cloud: ['throttle=120@count=40'] },
    seams: {
      cloudFetch: (send) => async (input, init) => {
        const answer = await send(input, init);
        return answer.status === 429 ? new Response(answer.body, { status: 500 }) : answer;
      },
    },
  },
  {
    name: 'NodeClaims of another provider are taken for our own',
    foundBy: 'objects of others are left alone',
    scenario: { others: true },
    seams: { kubeFetch: blind(OTHER_CLASS, OWN_CLASS) },
  },
  {
    name: 'a replacement that is not cheaper is accepted',
    foundBy: 'consolidation costs less',
    scenario: { disruption: ['settled'], quiet: true },
    seams: { parts: withPrices((type) => (type === 'Standard_D4s_v5' ? 0.001 : undefined)) },
  },
  {
    name: 'whatever was launched last seems expensive',
    foundBy: 'no disruption in circles',
    scenario: { disruption: ['settled'], quiet: true },
    seams: regretting(),
  },
];

// ---------------------------------------------------------------------------------------------------

function regretting(): Seams {
  let last = '';
  return {
    cloudFetch: beside((_, { method, path, body }) => {
      if (method === 'PUT' && /\/virtualMachines\/[^/]+$/.test(path))
        last = body.properties.hardwareProfile.vmSize;
    }),
    parts: withPrices((type) => (type === last ? 0.2 : 0.1)),
  };
}
