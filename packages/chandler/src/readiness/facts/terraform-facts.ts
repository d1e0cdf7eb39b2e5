/** Facts that Terraform gives: resources of files, plans and states, and arguments of public modules. */
import type { Inputs, ModuleCall, Resource } from '../inputs/inputs.ts';
import { moduleValues } from '../inputs/terraform/public-modules.ts';
import { find, type Tree, textOf } from '../model/tree.ts';
import type { FactName, FactValue } from './facts.ts';
import { isOfNodes } from './policies.ts';

export type Found = readonly [FactName, FactValue];

export function terraformFacts(inputs: Inputs): readonly Found[] {
  return [
    ...inputs.resources.flatMap(resourceFacts),
    ...inputs.moduleCalls.flatMap(moduleFacts),
    ...inputs.outputs.flatMap(({ name, value, source, at }) =>
      OUTPUT_FACTS.has(name)
        ? [[OUTPUT_FACTS.get(name)!, factOf(value, source, `output ${name}`, at)] as Found]
        : [],
    ),
    ...roleFacts(inputs),
  ];
}

/** Every name that a role has in Terraform, for checks that look for one. */
export function roleNames({ resources }: Inputs): readonly FactValue[] {
  return resources
    .filter(({ type, mode }) => type === 'aws_iam_role' && mode === 'managed')
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

function resourceFacts(resource: Resource): readonly Found[] {
  const { type, source, values, address } = resource;
  const rows = RESOURCE_FACTS.filter((row) => row.type === type && isOwn(resource));
  const found = rows.flatMap(({ fact, attribute }) => {
    const value = find(values, attribute);
    return value === undefined
      ? []
      : [[fact, factOf(value, source, `${address}.${attribute}`, value.at)] as Found];
  });
  if (type !== 'aws_iam_instance_profile') return found;
  return [...found, ['instanceProfile', nameFact(resource)]];
}

/** A provider with an alias is for another region; queues and keys of other services say nothing about Karpenter. */
function isOwn({ type, name, values, address }: Resource): boolean {
  if (type === 'provider') return name === 'aws' && find(values, 'alias') === undefined;
  if (type === 'aws_sqs_queue')
    return /karpenter|interruption/i.test(`${address} ${textOf(find(values, 'name')) ?? ''}`);
  return true;
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
      const isNode =
        held.has(role.address) ||
        held.has(fact.value ?? '') ||
        (/karpenter/i.test(names) && isOfNodes(names));
      if (isNode) return [['nodeRole', fact]];
      if (!/karpenter/i.test(names)) return [];
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
  return value === undefined ? { source, what, why: 'is no text', at } : { source, what, value, at };
}
