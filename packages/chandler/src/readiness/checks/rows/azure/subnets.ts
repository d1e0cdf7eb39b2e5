/** Checks of AKS: the subnets of nodes, and how nodes reach what is outside. */
import { parseResourceId } from '../../../../arm/index.ts';
import { optionOf } from '../../../azure/helm-options.ts';
import type { AzureObject } from '../../../azure/objects.ts';
import { judgeScenes, type Scene } from '../../../azure/scenes.ts';
import { hasSymbol, sameId, symbolOf } from '../../../azure/symbols.ts';
import { placeholderIn } from '../../../facts/placeholder.ts';
import type { Judgement } from '../../../model/finding.ts';
import { itemsAt, textOf } from '../../../model/tree.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { fail, pass, skip, warn } from '../../judgements.ts';
import { INFRASTRUCTURE } from './compare.ts';
import { type ChosenId, chosenIds, maxPodsOf, subnetIds } from './subnet-ids.ts';

/** Azure keeps the first four addresses of a subnet and the last one. */
const KEPT_ADDRESSES = 5;
const FEW_NODES = 20;
/** Pods of a node that have addresses of the subnet, where nothing else is said. */
const DEFAULT_MAX_PODS = 30;

export const AKS_SUBNET_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-13',
    title: 'The subnets of nodes exist, in the virtual network of the AKS cluster',
    inputs: [['values', 'nodeClasses']],
    criterion:
      'Passes if VNET_SUBNET_ID and vnetSubnetID of AKSNodeClasses are IDs of subnets of Terraform or of the subscription. Fails if one is no ID of a subnet, a placeholder, not in its virtual network, or in another virtual network than the cluster.',
    severity: 'critical',
    phase: 2,
    fix: 'Set VNET_SUBNET_ID to the ID of the subnet (az network vnet subnet show --query id).',
    docs: DOCS.azureInstall,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        chosenIds(scene, 'VNET_SUBNET_ID', 'vnetSubnetID').map((chosen) => existing(scene, chosen)),
      ),
  },
  {
    id: 'A-14',
    title: 'The subnets of nodes are not delegated',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Fails if a subnet of nodes is delegated to a service: VMs cannot join it. Passes if it is not.',
    severity: 'critical',
    phase: 1,
    fix: 'Remove the delegation, or choose another subnet for nodes.',
    docs: DOCS.azureSubnets,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        subnets(scene).map(({ subnet }) => {
          const tree = subnet.field('delegations');
          const evidence = [subnet.seen('delegations')];
          const object = subnet.address;
          if (tree?.kind === 'unknown')
            return skip('It is not known.', ['plan', 'state', 'cloud'], evidence, { object });
          return itemsAt(tree).length > 0
            ? fail('The subnet is delegated.', evidence, { object })
            : pass('The subnet is not delegated.', evidence, { object });
        }),
      ),
  },
  {
    id: 'A-15',
    title: 'The subnets of nodes are large enough',
    inputs: [INFRASTRUCTURE],
    criterion: `Fails if a subnet of nodes has no addresses for two nodes, warns if it has none for ${FEW_NODES}. A node has one address with an overlay, and one for each of its pods without (maxPods, 30 by default).`,
    severity: 'high',
    phase: 1,
    fix: 'Choose a larger address range, or an overlay network.',
    docs: DOCS.azureNetwork,
    judge: (context) => judgeScenes(context, (scene) => subnets(scene).flatMap((each) => size(scene, each))),
  },
  {
    id: 'A-29',
    title: 'Nodes reach the API server and the internet',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Fails if the outbound type needs a route table (userDefinedRouting) or a NAT gateway (userAssignedNATGateway) that a subnet of nodes does not have. Warns about the outbound types none and block: nodes then download nothing when they start.',
    severity: 'high',
    phase: 1,
    fix: 'Associate the route table or the NAT gateway of the cluster with each subnet of nodes, and allow the addresses that AKS requires.',
    docs: DOCS.azureEgress,
    judge: (context) => judgeScenes(context, egress),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function existing({ picture, cluster }: Scene, { id, evidence, object }: ChosenId): Judgement {
  const waiting = hasSymbol(id) ? undefined : placeholderIn(id);
  if (waiting !== undefined) return fail(`The ID is a placeholder (${waiting}).`, [evidence], { object });
  if (!hasSymbol(id) && !id.includes('*')) {
    const parsed = parseResourceId(id, 'Microsoft.Network/virtualNetworks/subnets');
    if ('problem' in parsed) return fail(`The ID ${parsed.problem}.`, [evidence], { object });
  }
  const found = picture.at('subnet', id);
  const all = picture.of('subnet');
  const clusters =
    cluster === undefined || cluster.field('subnet') === undefined ? undefined : cluster.text('subnet');
  const own = clusters === undefined ? undefined : picture.expand(clusters);
  const network = networkOf(id);
  if (cluster !== undefined && own !== undefined && sameId(networkOf(own), network) === 'no')
    return fail(
      `The nodes of the cluster are in ${networkOf(own).split('/').at(-1)}, another virtual network.`,
      [evidence, cluster.seen('subnet')],
      { object },
    );
  if (found !== undefined) return pass('The subnet exists.', [evidence, found.seen('name')], { object });
  if (own !== undefined && sameId(own, id) === 'yes')
    return pass('It is the subnet of the cluster.', [evidence, cluster!.seen('subnet')], { object });
  const siblings = all.filter((subnet) => sameId(networkOf(picture.idOf(subnet)), network) === 'yes');
  const doubtful = all.some((subnet) => sameId(picture.idOf(subnet), id) === 'unknown');
  return siblings.length > 0 && !doubtful
    ? fail(
        `The virtual network has the subnets ${siblings.map((subnet) => subnet.text('name')).join(', ')}.`,
        [evidence, ...siblings.map((subnet) => subnet.seen('name'))],
        { object },
      )
    : skip('The subnet is not in these inputs.', INFRASTRUCTURE, [evidence], { object });
}

function networkOf(subnet: string): string {
  return subnet.replace(/\/subnets\/[^/]*$/i, '');
}

/** Subnets of nodes that the picture shows, each once. */
function subnets(
  scene: Scene,
): readonly { readonly subnet: AzureObject; readonly chosen: readonly ChosenId[] }[] {
  const byAddress = new Map<string, { subnet: AzureObject; chosen: ChosenId[] }>();
  for (const each of subnetIds(scene)) {
    const subnet = scene.picture.at('subnet', each.id);
    if (subnet === undefined) continue;
    const known = byAddress.get(subnet.address);
    if (known === undefined) byAddress.set(subnet.address, { subnet, chosen: [each] });
    else known.chosen.push(each);
  }
  return [...byAddress.values()];
}

function size(
  scene: Scene,
  { subnet, chosen }: { readonly subnet: AzureObject; readonly chosen: readonly ChosenId[] },
): readonly Judgement[] {
  const object = subnet.address;
  const tree = subnet.field('prefixes');
  const texts = (tree?.kind === 'list' ? itemsAt(tree) : tree === undefined ? [] : [tree]).map(symbolOf);
  const lengths = texts.flatMap((text) => /^\d+\.\d+\.\d+\.\d+\/(\d+)$/.exec(text ?? '')?.[1] ?? []);
  const evidence = [subnet.seen('prefixes')];
  const overlay = isOverlay(scene);
  if (lengths.length === 0 || overlay === undefined)
    return [
      skip('The address range or the network plugin is not known.', ['plan', 'state', 'cloud'], evidence, {
        object,
      }),
    ];
  const addresses = lengths.reduce((sum, length) => sum + 2 ** (32 - Number(length)) - KEPT_ADDRESSES, 0);
  const pods = chosen.flatMap(({ classes }) => classes.map((each) => maxPodsOf(each) ?? DEFAULT_MAX_PODS));
  const needed = overlay ? 1 : Math.max(DEFAULT_MAX_PODS, ...pods);
  const nodes = Math.max(0, Math.floor(addresses / needed));
  const text = `It has addresses for ${nodes} nodes, ${needed} for each.`;
  if (nodes < 2) return [fail(text, evidence, { object })];
  return [nodes < FEW_NODES ? warn(text, evidence, { object }) : pass(text, evidence, { object })];
}

/** Whether pods have addresses of their own network. Undefined: it is not known. */
function isOverlay({ cluster, releases }: Scene): boolean | undefined {
  const plugin = cluster?.field('networkPlugin');
  const mode = cluster?.field('networkPluginMode');
  if (plugin?.kind === 'scalar' && mode?.kind !== 'unknown')
    return textOf(plugin) === 'none' || textOf(mode)?.toLowerCase() === 'overlay';
  const options = releases.map((release) => optionOf(release, 'NETWORK_PLUGIN_MODE'));
  const [option] = options;
  if (option === undefined || option.state === 'unknown') return undefined;
  return option.state === 'absent' ? true : option.text === undefined ? undefined : option.text === 'overlay';
}

function egress(scene: Scene): readonly Judgement[] {
  const { cluster } = scene;
  if (cluster === undefined) return [];
  const tree = cluster.field('outboundType');
  const seen = cluster.seen('outboundType');
  const type = tree === undefined ? 'loadBalancer' : textOf(tree);
  const object = cluster.address;
  if (type === undefined)
    return [skip('The outbound type is not known.', ['plan', 'state', 'cloud'], [seen], { object })];
  if (type === 'none' || type === 'block')
    return [
      warn(`The outbound type is ${type}: nodes download nothing when they start.`, [seen], { object }),
    ];
  const way = WAYS[type];
  if (way === undefined) return [pass(`The outbound type is ${type}.`, [seen], { object })];
  return subnets(scene).map(({ subnet }) => wayOf(scene, subnet, way, seen));
}

interface Way {
  readonly kind: 'routeTableAssociation' | 'natGatewayAssociation';
  readonly field: string;
  readonly name: string;
}

const WAYS: Readonly<Record<string, Way>> = {
  userDefinedRouting: { kind: 'routeTableAssociation', field: 'routeTable', name: 'route table' },
  userAssignedNATGateway: { kind: 'natGatewayAssociation', field: 'natGateway', name: 'NAT gateway' },
};

function wayOf(
  { picture }: Scene,
  subnet: AzureObject,
  { kind, field, name }: Way,
  seen: Judgement['evidence'][number],
): Judgement {
  const object = subnet.address;
  const id = picture.idOf(subnet);
  const answers = picture.of(kind).map((association) => {
    const text = association.text('subnet');
    return { association, answer: text === undefined ? 'unknown' : sameId(picture.expand(text), id) };
  });
  const found = answers.find(({ answer }) => answer === 'yes');
  if (found !== undefined)
    return pass(`The subnet has a ${name}.`, [seen, found.association.seen('subnet')], { object });
  if (subnet.field(field) !== undefined)
    return pass(`The subnet has a ${name}.`, [seen, subnet.seen(field)], { object });
  // What is looked up shows no associations.
  if (answers.some(({ answer }) => answer === 'unknown') || subnet.isData)
    return skip(
      `Whether the subnet has a ${name} is not known.`,
      ['state', 'cloud'],
      [seen, subnet.seen('name')],
      { object },
    );
  return fail(`The subnet has no ${name}.`, [seen, subnet.seen('name')], { object });
}
