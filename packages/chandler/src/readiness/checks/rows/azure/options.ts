/** Checks of AKS: options without which the controller or its nodes do not start. */
import { AZURE_OPTIONS } from '../../../../cloud/azure/options/index.ts';
import { type HelmOption, optionOf } from '../../../azure/helm-options.ts';
import { regionName } from '../../../azure/picture.ts';
import { judgeScenes, type Scene } from '../../../azure/scenes.ts';
import { type Answer, hasSymbol, sameId, sameText } from '../../../azure/symbols.ts';
import { placeholderIn } from '../../../facts/placeholder.ts';
import type { HelmRelease } from '../../../inputs/inputs.ts';
import type { Judgement } from '../../../model/finding.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { fail, pass, skip, warn } from '../../judgements.ts';
import { INFRASTRUCTURE, required } from './compare.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const AKS_OPTION_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-23',
    title: 'The options that the controller requires are set',
    inputs: ['values'],
    criterion:
      'Passes if KUBELET_BOOTSTRAP_TOKEN, SSH_PUBLIC_KEY, VNET_SUBNET_ID, ARM_SUBSCRIPTION_ID and LOCATION are set and valid, and the region is that of the cluster. Fails if one is absent, invalid or a placeholder. Warns if the bootstrap token is written in the values.',
    severity: 'critical',
    phase: 2,
    fix: 'Set the variable in controller.env. Read the bootstrap token from a Secret (valueFrom.secretKeyRef).',
    docs: DOCS.azureInstall,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        scene.releases.flatMap((release) => REQUIRED.map((row) => requiredOption(scene, release, row))),
      ),
  },
  {
    id: 'A-24',
    title: 'Nodes have the identity of kubelets',
    inputs: [INFRASTRUCTURE, 'values'],
    criterion:
      'Passes if NODE_IDENTITIES has the ID of the identity of kubelets of the cluster, and KUBELET_IDENTITY_CLIENT_ID is its client ID or empty. Fails if NODE_IDENTITIES is absent or has other IDs only, or if the client ID is another.',
    severity: 'high',
    phase: 2,
    fix: 'Set NODE_IDENTITIES to the ID of the identity of kubelets (az aks show --query identityProfile.kubeletidentity.resourceId), and KUBELET_IDENTITY_CLIENT_ID to its client ID.',
    docs: DOCS.azureInstall,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        scene.releases.flatMap((release) => [
          ...nodeIdentities(scene, release),
          ...kubeletClient(scene, release),
        ]),
      ),
  },
];

// ---------------------------------------------------------------------------------------------------------------

interface RequiredRow {
  readonly names: readonly [string, ...string[]];
  /** @returns what is expected instead. */
  problem(text: string): string | undefined;
  readonly isSecret?: true;
}

const uuid = (text: string) => (UUID.test(text) ? undefined : 'a UUID');

const REQUIRED: readonly RequiredRow[] = [
  {
    names: ['KUBELET_BOOTSTRAP_TOKEN'],
    problem: AZURE_OPTIONS.kubeletBootstrapToken.check,
    isSecret: true,
  },
  { names: ['SSH_PUBLIC_KEY'], problem: AZURE_OPTIONS.sshPublicKey.check },
  { names: ['VNET_SUBNET_ID'], problem: AZURE_OPTIONS.vnetSubnetId.check },
  { names: ['ARM_SUBSCRIPTION_ID', 'AZURE_SUBSCRIPTION_ID'], problem: uuid },
  {
    names: ['LOCATION'],
    problem: (text) => (/^[a-z0-9]+$/.test(text) ? undefined : 'the name of a region such as westeurope'),
  },
];

function requiredOption(
  scene: Scene,
  release: HelmRelease,
  { names, problem, isSecret }: RequiredRow,
): Judgement {
  const option = optionOf(release, ...names);
  const { env, text } = option;
  const object = `${release.origin}: ${env}`;
  if (option.state === 'absent' || text === '') return { ...required(option), object };
  const evidence = [option.evidence];
  // A value from a Secret is set, which is all that can be known of it.
  if (text === undefined)
    return option.state === 'set' && isSecret === true
      ? pass('It is set.', [{ ...withoutDoubt(option), note: 'read from elsewhere' }], { object })
      : skip('The value is not known.', ['values', 'plan', 'state'], evidence, { object });
  if (hasSymbol(text))
    return isSecret === true ? pass('It is set.', evidence, { object }) : region(scene, option, object);
  const waiting = placeholderIn(text);
  if (waiting !== undefined)
    return fail(
      isSecret === true ? 'The value is a placeholder.' : `The value is a placeholder (${waiting}).`,
      evidence,
      { object },
    );
  const expected = problem(text);
  if (expected !== undefined) return fail(`The value is not ${expected}.`, evidence, { object });
  if (isSecret === true)
    return warn('The token is written in the values: who reads them can add nodes.', evidence, { object });
  return region(scene, option, object);
}

function withoutDoubt({ evidence: { unknown: _, ...evidence } }: HelmOption) {
  return evidence;
}

/** The region is also that of the cluster. */
function region({ cluster, picture }: Scene, option: HelmOption, object: string): Judgement {
  const { env, evidence } = option;
  const text = picture.expand(option.text ?? '');
  const location = env === 'LOCATION' && cluster !== undefined ? cluster.text('location') : undefined;
  if (env !== 'LOCATION' || cluster === undefined || location === undefined)
    return pass('It is set.', [evidence], { object });
  const both = [evidence, cluster.seen('location')];
  const answer = sameText(regionName(text), regionName(picture.expand(location)));
  if (answer === 'unknown')
    return skip('The region is not known.', ['plan', 'state', 'cloud'], both, { object });
  return answer === 'yes'
    ? pass('It is the region of the cluster.', both, { object })
    : fail(`The cluster is in ${regionName(location)}, and here it is ${text}.`, both, { object });
}

function nodeIdentities({ cluster, picture }: Scene, release: HelmRelease): readonly Judgement[] {
  if (cluster === undefined) return [];
  const option = optionOf(release, 'NODE_IDENTITIES');
  const kubelet = picture.kubeletIdentity(cluster);
  const object = `${release.origin}: NODE_IDENTITIES`;
  const evidence = [option.evidence, cluster.seen('kubeletIdentityId')];
  if (option.state === 'absent' || option.text === '')
    return [
      fail('Nodes have no identity, so kubelets cannot pull images from a registry of Azure.', evidence, {
        object,
      }),
    ];
  if (option.text === undefined)
    return [skip('The value is not known.', ['values', 'plan', 'state'], evidence, { object })];
  const answers = option.text.split(',').map((id) => sameId(picture.expand(id.trim()), kubelet));
  return [
    decided(
      answers,
      'The identity of kubelets is among them.',
      `The identity of kubelets is ${kubelet}.`,
      evidence,
      object,
    ),
  ];
}

function kubeletClient({ cluster }: Scene, release: HelmRelease): readonly Judgement[] {
  const option = optionOf(release, 'KUBELET_IDENTITY_CLIENT_ID');
  if (cluster === undefined || option.state !== 'set' || option.text === '') return [];
  const object = `${release.origin}: KUBELET_IDENTITY_CLIENT_ID`;
  const evidence = [option.evidence, cluster.seen('kubeletClientId')];
  const { text } = option;
  if (text !== undefined && !hasSymbol(text) && !UUID.test(text))
    return [fail('The client ID is no UUID.', evidence, { object })];
  const own = cluster.text('kubeletClientId');
  const answer = text === undefined || own === undefined ? 'unknown' : sameText(text, own);
  return [
    decided(
      [answer],
      'It is the client ID of kubelets.',
      `The client ID of kubelets is ${own}.`,
      evidence,
      object,
    ),
  ];
}

function decided(
  answers: readonly Answer[],
  same: string,
  other: string,
  evidence: Judgement['evidence'],
  object: string,
): Judgement {
  if (answers.includes('yes')) return pass(same, evidence, { object });
  return answers.includes('unknown')
    ? skip('The identity of kubelets is not known.', ['state', 'cloud'], evidence, { object })
    : fail(other, evidence, { object });
}
