/** Facts that Terraform gives: resources of files, plans and states, and arguments of public modules. */
import type { Inputs, ModuleCall, Resource } from '../inputs/inputs.ts';
import { moduleValues } from '../inputs/terraform/public-modules.ts';
import { folderOf } from '../inputs/terraform/read-terraform.ts';
import { entriesAt, find, itemsAt, type Tree, textOf } from '../model/tree.ts';
import type { FactName, FactValue } from './facts.ts';
import { isOfNodes } from './policies.ts';

export type Found = readonly [FactName, FactValue];

export function terraformFacts(inputs: Inputs): readonly Found[] {
  return [
    ...inputs.resources.flatMap((resource) => resourceFacts(resource, inputs)),
    ...inputs.moduleCalls.flatMap(moduleFacts),
    ...inputs.outputs.flatMap(({ name, value, source, at }) =>
      OUTPUT_FACTS.has(name)
        ? [[OUTPUT_FACTS.get(name)!, factOf(value, source, `output ${name}`, at)] as Found]
        : [],
    ),
    ...roleFacts(inputs),
    ...inputs.resources.flatMap(associationFacts),
    ...inputs.moduleCalls.flatMap(trustedAccountFacts),
  ];
}

/** Every name that a role has in Terraform, for checks that look for one. Those of Fargate profiles are for starting pods. */
export function roleNames({ resources }: Inputs): readonly FactValue[] {
  return resources
    .filter(
      ({ type, mode, address }) => type === 'aws_iam_role' && mode === 'managed' && !/fargate/i.test(address),
    )
    .map((role) => nameFact(role));
}

// ---------------------------------------------------------------------------------------------------------------

interface ResourceFact {
  readonly fact: FactName;
  readonly type: string;
  readonly attribute: string;
}

const RESOURCE_FACTS: readonly ResourceFact[] = [
  { fact: 'clusterName', type: 'aws_eks_cluster', attribute: 'name' },
  { fact: 'endpoint', type: 'aws_eks_cluster', attribute: 'endpoint' },
  { fact: 'kubernetesVersion', type: 'aws_eks_cluster', attribute: 'version' },
  { fact: 'queueName', type: 'aws_sqs_queue', attribute: 'name' },
  { fact: 'kmsKeyArn', type: 'aws_kms_key', attribute: 'arn' },
  { fact: 'region', type: 'provider', attribute: 'region' },
  { fact: 'accountId', type: 'aws_caller_identity', attribute: 'account_id' },
];

/** Outputs by the names that people give them. */
const OUTPUT_FACTS: ReadonlyMap<string, FactName> = new Map<string, FactName>([
  ['cluster_endpoint', 'endpoint'],
  ['kubernetes_cluster_endpoint', 'endpoint'],
  ['eks_cluster_endpoint', 'endpoint'],
  ['eks_kms_key_arn', 'kmsKeyArn'],
]);

function resourceFacts(resource: Resource, inputs: Inputs): readonly Found[] {
  const { type, source, values, address } = resource;
  const rows = RESOURCE_FACTS.filter((row) => row.type === type && isOwn(resource, inputs));
  const found = rows.flatMap(({ fact, attribute }) => {
    const value = find(values, attribute);
    return value === undefined
      ? []
      : [[fact, factOf(value, source, `${address}.${attribute}`, value.at)] as Found];
  });
  if (type !== 'aws_iam_instance_profile') return found;
  return [...found, ['instanceProfile', nameFact(resource)]];
}

/** What belongs to other regions, accounts, services and stacks says nothing about Karpenter. */
function isOwn(resource: Resource, inputs: Inputs): boolean {
  const { type, name, values, address, owner } = resource;
  if (owner !== undefined) return true;
  if (type === 'provider')
    return name === 'aws' && find(values, 'alias') === undefined && isOfCluster(resource, inputs);
  if (type === 'aws_caller_identity')
    return (
      find(values, 'provider') === undefined &&
      inputs.resources.filter((each) => each.type === type && each.source === resource.source).length === 1
    );
  if (type === 'aws_kms_key') return isKeyOfNodes(resource, inputs);
  if (type === 'aws_sqs_queue')
    return /karpenter|interruption/i.test(`${address} ${textOf(find(values, 'name')) ?? ''}`);
  return true;
}

/** By its name, or because a class uses it. */
function isKeyOfNodes({ address, values }: Resource, { manifests }: Inputs): boolean {
  const arn = textOf(find(values, 'arn'));
  return (
    /karpenter|eks|node|disk|ebs/i.test(address) ||
    manifests.some(
      ({ kind, tree }) =>
        kind === 'EC2NodeClass' &&
        itemsAt(tree, 'spec', 'blockDeviceMappings').some(
          (mapping) => arn !== undefined && textOf(find(mapping, 'ebs', 'kmsKeyID')) === arn,
        ),
    )
  );
}

/** Of several roots, those without a cluster and without Karpenter may be in other regions. */
function isOfCluster({ at }: Resource, { rootModules, resources, moduleCalls }: Inputs): boolean {
  if (rootModules.length < 2 || !('file' in at)) return true;
  const about = [
    ...resources.filter(({ type, address }) => type === 'aws_eks_cluster' || /karpenter/i.test(address)),
    ...moduleCalls.filter(({ moduleSource, address }) => /eks|karpenter/i.test(`${moduleSource} ${address}`)),
  ].flatMap((each) => ('file' in each.at ? folderOf(each.at.file) : []));
  const own = rootModules.filter(({ folders }) => about.some((folder) => folders.has(folder)));
  return own.length === 0 || own.some(({ folders }) => folders.has(folderOf(at.file)));
}

/** A name; with `name_prefix` it is known only after apply. */
function nameFact({ source, values, address, at }: Resource): FactValue {
  const name = find(values, 'name');
  if (name !== undefined) return factOf(name, source, `${address}.name`, name.at);
  const prefix = find(values, 'name_prefix');
  const why =
    prefix === undefined
      ? 'is chosen by Terraform'
      : `only begins with ${textOf(prefix) ?? 'a prefix'} (name_prefix)`;
  return { source, what: `${address}.name`, why, at: prefix?.at ?? at };
}

/** Roles of Karpenter: that of the controller by its name, that of the nodes by its name or by the profile that holds it. */
function roleFacts(inputs: Inputs): readonly Found[] {
  const inClasses = new Set(
    inputs.manifests
      .filter(({ kind }) => kind === 'EC2NodeClass')
      .flatMap(({ tree }) => textOf(find(tree, 'spec', 'instanceProfile')) ?? []),
  );
  // Other instance profiles are of other machines.
  const isOfKarpenter = (profile: Resource) => {
    const name = nameFact(profile).value ?? '';
    return /karpenter/i.test(`${profile.address} ${name}`) || inClasses.has(name);
  };
  const held = new Set(
    inputs.resources
      .filter((each) => each.type === 'aws_iam_instance_profile' && isOfKarpenter(each))
      .flatMap(({ values }) => {
        const role = find(values, 'role');
        return role?.kind === 'unknown' ? (role.reference ?? []) : (textOf(role) ?? []);
      }),
  );
  return inputs.resources
    .filter(({ type, mode }) => type === 'aws_iam_role' && mode === 'managed')
    .flatMap((role): readonly Found[] => {
      const fact = nameFact(role);
      const names = `${role.address} ${fact.value ?? ''}`;
      if (role.owner === 'nodes') return [['nodeRole', fact]];
      const isNode =
        held.has(role.address) ||
        held.has(fact.value ?? '') ||
        (/karpenter/i.test(names) && isOfNodes(names));
      if (isNode && role.owner !== 'controller') return [['nodeRole', fact]];
      // A Fargate profile that is called after Karpenter has a role for its pods to start with.
      if (role.owner !== 'controller' && (!/karpenter/i.test(names) || /fargate/i.test(names))) return [];
      const arn = find(role.values, 'arn');
      return [
        ['controllerRoleName', fact],
        ...(arn === undefined
          ? []
          : [['controllerRoleArn', factOf(arn, role.source, `${role.address}.arn`, arn.at)] as Found]),
      ];
    });
}

function moduleFacts(call: ModuleCall): readonly Found[] {
  return moduleValues(call).map(({ row, argument, isDefault, tree }) => {
    const what = `${call.address}.${argument}${isDefault ? ' (default)' : ''}`;
    return [row.fact, factOf(tree, 'terraform', what, tree.at)];
  });
}

export function factOf(
  tree: Tree,
  source: FactValue['source'],
  what: string,
  at: FactValue['at'],
): FactValue {
  if (tree.kind === 'unknown') return { source, what, why: tree.why, at };
  const value = textOf(tree);
  if (value === undefined) return { source, what, why: 'is no text', at };
  return value === '' ? { source, what, why: 'is empty', at } : { source, what, value, at };
}

/** Pod Identity gives the role of the controller to a service account. */
function associationFacts({ type, address, values, source, owner }: Resource): readonly Found[] {
  if (type !== 'aws_eks_pod_identity_association') return [];
  const role = find(values, 'role_arn');
  const names = `${address} ${role?.kind === 'unknown' ? role.reference : textOf(role)}`;
  if (owner === undefined && !/karpenter/i.test(names)) return [];
  return (['namespace', 'service_account'] as const).flatMap((field): readonly Found[] => {
    const value = find(values, field);
    const fact = field === 'namespace' ? 'namespace' : 'serviceAccount';
    return value === undefined ? [] : [[fact, factOf(value, source, `${address}.${field}`, value.at)]];
  });
}

/** `karpenter:karpenter`: the namespaces and service accounts that a module lets assume the role. */
function trustedAccountFacts(call: ModuleCall): readonly Found[] {
  if (!/karpenter/i.test(`${call.address} ${call.moduleSource}`)) return [];
  const lists = [
    ...(textOf(find(call.arguments, 'enable_irsa')) === 'true'
      ? [find(call.arguments, 'irsa_namespace_service_accounts')]
      : []),
    ...entriesAt(call.arguments, 'oidc_providers').map(([, each]) =>
      find(each, 'namespace_service_accounts'),
    ),
  ];
  return lists.flatMap((list) =>
    itemsAt(list).flatMap((item): readonly Found[] => {
      const what = `${call.address} service account`;
      const [namespace, account] = (textOf(item) ?? '').split(':');
      if (namespace === undefined || account === undefined)
        return [['namespace', { source: 'terraform', what, why: 'is computed', at: item.at }]];
      return [
        ['namespace', { source: 'terraform', what, value: namespace, at: item.at }],
        ['serviceAccount', { source: 'terraform', what, value: account, at: item.at }],
      ];
    }),
  );
}
