/** Checks of AKS: what the identity of the controller may do. */
import type { AzureObject } from '../../../azure/objects.ts';
import { type Grant, granted } from '../../../azure/roles.ts';
import { isFieldOf, judgeScenes, type Scene } from '../../../azure/scenes.ts';
import { ANY } from '../../../azure/symbols.ts';
import type { Judgement } from '../../../model/finding.ts';
import { textOf } from '../../../model/tree.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { fail, pass, skip } from '../../judgements.ts';
import { INFRASTRUCTURE } from './compare.ts';
import { diskEncryptionSetIds } from './disk-encryption-ids.ts';
import { subnetIds } from './subnet-ids.ts';

const VIRTUAL_MACHINES = [
  'Microsoft.Compute/virtualMachines/write',
  'Microsoft.Compute/virtualMachines/delete',
  'Microsoft.Compute/disks/delete',
];
const INTERFACES = [
  'Microsoft.Network/networkInterfaces/write',
  'Microsoft.Network/networkInterfaces/delete',
  'Microsoft.Network/loadBalancers/read',
];

export const AKS_ROLE_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-09',
    title: 'The controller may manage VMs and network interfaces',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the identity of the controller has roles on the node resource group, or above it, that allow it to write and delete VMs and network interfaces (Virtual Machine Contributor). Fails if its roles do not. Skipped if no role of the identity is known.',
    severity: 'critical',
    phase: 1,
    fix: 'Assign Virtual Machine Contributor on the node resource group to the principal ID of the identity.',
    docs: DOCS.azureRoles,
    judge: (context) =>
      judgeScenes(context, (scene) => {
        const group = nodeGroupId(scene);
        return [
          ...grants(scene, 'VMs', { actions: VIRTUAL_MACHINES, on: group }),
          ...grants(scene, 'network interfaces', { actions: INTERFACES, on: group }),
        ];
      }),
  },
  {
    id: 'A-10',
    title: 'The controller may join the subnets of nodes',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the identity of the controller has roles on each subnet of nodes (VNET_SUBNET_ID and vnetSubnetID of AKSNodeClasses), or above it, that allow to read and join it (Network Contributor). Fails if its roles do not. Skipped for a subnet in a subscription whose roles were not read.',
    severity: 'critical',
    phase: 1,
    fix: 'Assign Network Contributor on the subnet or its virtual network to the principal ID of the identity.',
    docs: DOCS.azureRoles,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        subnetIds(scene).flatMap(({ id, evidence }) => {
          const actions = [
            'Microsoft.Network/virtualNetworks/subnets/read',
            'Microsoft.Network/virtualNetworks/subnets/join/action',
          ];
          return grants(scene, `subnet ${id.split('/').at(-1)}`, { actions, on: id }).map((each) => ({
            ...each,
            evidence: [evidence, ...each.evidence],
          }));
        }),
      ),
  },
  {
    id: 'A-11',
    title: 'The controller may assign the identity of kubelets',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the identity of the controller has a role on the identity of kubelets, or above it, that allows to assign it to VMs (Managed Identity Operator). Fails if its roles do not. Skipped if it is in a subscription whose roles were not read.',
    severity: 'critical',
    phase: 1,
    fix: 'Assign Managed Identity Operator on the identity of kubelets, or on its resource group, to the principal ID of the identity.',
    docs: DOCS.azureRoles,
    judge: (context) =>
      judgeScenes(context, (scene) => {
        if (scene.cluster === undefined) return [];
        return grants(scene, 'the identity of kubelets', {
          actions: ['Microsoft.ManagedIdentity/userAssignedIdentities/assign/action'],
          on: scene.picture.kubeletIdentity(scene.cluster),
        });
      }),
  },
  {
    id: 'A-12',
    title: 'The node resource group can be changed',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Fails if the node resource group is locked (restrictionLevel ReadOnly): the controller cannot create VMs in it. Passes if it is not, and where node auto-provisioning of AKS makes the nodes.',
    severity: 'critical',
    phase: 1,
    fix: 'Set nodeResourceGroupProfile.restrictionLevel to Unrestricted (az aks update --nrg-lockdown-restriction-level Unrestricted).',
    docs: DOCS.azureNodeResourceGroup,
    judge: (context) =>
      judgeScenes(context, ({ cluster, releases }) => {
        if (cluster === undefined) return [];
        const object = cluster.address;
        const level = cluster.field('restrictionLevel');
        const evidence = [cluster.seen('restrictionLevel')];
        if (level?.kind === 'unknown')
          return [skip('It is not known.', ['plan', 'state', 'cloud'], evidence, { object })];
        if (textOf(level)?.toLowerCase() !== 'readonly')
          return [pass('The node resource group is not locked.', evidence, { object })];
        const mode = releases.length > 0 ? undefined : cluster.field('nodeProvisioning');
        const both = [...evidence, cluster.seen('nodeProvisioning')];
        if (mode?.kind === 'unknown')
          return [
            skip('Whether AKS makes the nodes itself is not known.', ['plan', 'state', 'cloud'], both, {
              object,
            }),
          ];
        return textOf(mode)?.toLowerCase() === 'auto'
          ? [pass('It is locked, and AKS makes the nodes itself.', both, { object })]
          : [fail('The node resource group is locked.', evidence, { object })];
      }),
  },
  {
    id: 'A-26',
    title: 'The controller may read the disk encryption set',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the identity of the controller has a role on each disk encryption set of nodes, or above it, that allows to read it (Reader). Fails if its roles do not. Skipped for a set in a subscription whose roles were not read.',
    severity: 'critical',
    phase: 1,
    fix: 'Assign Reader on the disk encryption set to the principal ID of the identity.',
    docs: DOCS.azureKeys,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        diskEncryptionSetIds(scene).flatMap(({ id, evidence }) =>
          grants(scene, `disk encryption set ${id.split('/').at(-1)}`, {
            actions: ['Microsoft.Compute/diskEncryptionSets/read'],
            on: id,
          }).map((each) => ({ ...each, evidence: [evidence, ...each.evidence] })),
        ),
      ),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function nodeGroupId({ cluster, picture }: Scene): string {
  const group = cluster === undefined ? undefined : picture.nodeResourceGroup(cluster);
  return group === undefined ? '{}' : `/subscriptions/${ANY}/resourceGroups/${group}`;
}

/** One judgement for each identity of the controller. */
function grants(scene: Scene, what: string, grant: Grant): readonly Judgement[] {
  const { identities } = scene;
  return identities.map((identity) => grantOf(scene, identity, what, grant));
}

function grantOf({ picture }: Scene, identity: AzureObject, what: string, grant: Grant): Judgement {
  const { answer, evidence, hasRoles, unread } = granted(
    picture,
    (text) => isFieldOf(text, identity, 'principalId', picture),
    grant,
  );
  const object = `${identity.address}: ${what}`;
  if (answer === 'yes') return pass('A role allows it.', evidence, { object });
  const seen = evidence.length > 0 ? evidence : [identity.seen('name')];
  if (answer === 'unknown') {
    const why =
      unread === undefined
        ? 'A role may allow it, and it is not known whether it does.'
        : `It is in the subscription ${unread}, whose roles were not read.`;
    return skip(why, ['state', 'cloud'], seen, { object });
  }
  if (hasRoles || picture.source === 'live')
    return fail('No role of the identity allows it.', seen, { object });
  // Another stack, or a command, may assign the roles.
  return skip('No role of the identity is known.', ['state', 'cloud'], [identity.seen('name')], { object });
}
