/**
 * Public modules of Terraform that set up clusters and Karpenter: which of their arguments give a fact, and which of their outputs
 * return it. Their resources are not in the folder, so only what the call says is known.
 * Sources: terraform-aws-modules/eks v21.19 (and the names of v20 and v19), terraform-aws-modules/iam v5 and v6.
 */
import type { FactName } from '../../facts/facts.ts';

export interface ModuleFact {
  readonly fact: FactName;
  /** Outputs that return it. */
  readonly outputs: readonly string[];
  /** Arguments, the current name first. */
  readonly arguments: readonly string[];
  /** Where the call leaves it out: a value in which `{cluster}` is the name of the cluster. */
  readonly default?: string;
  /** With this argument true (its default), the name is only the beginning of the real one. */
  readonly prefixSwitch?: string;
  /** The prefix is for this argument only; others give the whole name. */
  readonly prefixArgument?: string;
  /** Only where this argument is true; where it is absent, it is true since this major version of the module. */
  readonly onlyIf?: { readonly argument: string; readonly sinceMajor?: number };
  /** Only where this argument is true, or the name of the call names Karpenter. */
  readonly when?: string;
}

export interface ModuleRow {
  readonly source: RegExp;
  /** Major versions of the module, the last one excluded; all where it is absent. */
  readonly majors?: readonly [from: number, before: number];
  readonly facts: readonly ModuleFact[];
}

/** Without it, the module does not use these arguments. */
const POD_IDENTITY = { argument: 'create_pod_identity_association', sinceMajor: 21 };

const KARPENTER = /(^|\/)terraform-aws-modules\/(terraform-aws-)?eks(\/aws)?(\.git)?\/\/modules\/karpenter/;

export const MODULE_FACTS: readonly ModuleRow[] = [
  {
    source: /(^|\/)terraform-aws-modules\/(terraform-aws-)?eks(\/aws)?(\.git)?(\?.*)?$/,
    facts: [
      { fact: 'clusterName', outputs: ['cluster_name'], arguments: ['name', 'cluster_name'] },
      {
        fact: 'kubernetesVersion',
        outputs: ['cluster_version'],
        arguments: ['kubernetes_version', 'cluster_version'],
      },
    ],
  },
  {
    // The role of nodes was the main one.
    source: KARPENTER,
    majors: [0, 20],
    facts: [
      { fact: 'clusterName', outputs: [], arguments: ['cluster_name'] },
      {
        fact: 'controllerRoleName',
        outputs: ['irsa_name'],
        arguments: ['irsa_name'],
        default: 'KarpenterIRSA-{cluster}',
        prefixSwitch: 'irsa_use_name_prefix',
      },
      {
        fact: 'nodeRole',
        outputs: ['role_name'],
        arguments: ['iam_role_name'],
        default: 'Karpenter-{cluster}',
        prefixSwitch: 'iam_role_use_name_prefix',
      },
      {
        fact: 'instanceProfile',
        outputs: ['instance_profile_name'],
        arguments: ['iam_role_name'],
        default: 'Karpenter-{cluster}',
        prefixSwitch: 'iam_role_use_name_prefix',
      },
      {
        fact: 'queueName',
        outputs: ['queue_name'],
        arguments: ['queue_name'],
        default: 'Karpenter-{cluster}',
      },
    ],
  },
  {
    source: KARPENTER,
    facts: [
      { fact: 'clusterName', outputs: [], arguments: ['cluster_name'] },
      {
        fact: 'controllerRoleName',
        outputs: ['iam_role_name'],
        arguments: ['iam_role_name'],
        default: 'KarpenterController',
        prefixSwitch: 'iam_role_use_name_prefix',
      },
      {
        fact: 'nodeRole',
        outputs: ['node_iam_role_name'],
        arguments: ['node_iam_role_name'],
        default: 'Karpenter-{cluster}',
        prefixSwitch: 'node_iam_role_use_name_prefix',
      },
      {
        fact: 'instanceProfile',
        outputs: ['instance_profile_name'],
        arguments: ['node_iam_role_name'],
        default: 'Karpenter-{cluster}',
        prefixSwitch: 'node_iam_role_use_name_prefix',
        onlyIf: { argument: 'create_instance_profile' },
      },
      {
        fact: 'namespace',
        outputs: ['namespace'],
        arguments: ['namespace'],
        default: 'kube-system',
        onlyIf: POD_IDENTITY,
      },
      {
        fact: 'serviceAccount',
        outputs: ['service_account'],
        arguments: ['service_account'],
        default: 'karpenter',
        onlyIf: POD_IDENTITY,
      },
      {
        fact: 'queueName',
        outputs: ['queue_name'],
        arguments: ['queue_name'],
        default: 'Karpenter-{cluster}',
      },
    ],
  },
  {
    source:
      /(^|\/)terraform-aws-modules\/(terraform-aws-)?iam(\/aws)?(\.git)?\/\/modules\/iam-role-for-service-accounts/,
    facts: [
      {
        fact: 'controllerRoleName',
        outputs: ['iam_role_name', 'name'],
        arguments: ['role_name', 'name'],
        when: 'attach_karpenter_controller_policy',
        prefixSwitch: 'use_name_prefix',
        prefixArgument: 'name',
      },
    ],
  },
];
