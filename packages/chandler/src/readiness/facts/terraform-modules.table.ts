/**
 * Public modules of Terraform that set up clusters and Karpenter: which of their arguments give a fact. Their resources are not
 * in the folder, so only what the call says is known.
 * Sources: terraform-aws-modules/eks v21.19 (and the names of v20), terraform-aws-modules/iam v5 and v6.
 */
import type { FactName } from './facts.ts';

export interface ModuleFact {
  readonly fact: FactName;
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
  readonly facts: readonly ModuleFact[];
}

/** Without it, the module does not use these arguments. */
const POD_IDENTITY = { argument: 'create_pod_identity_association', sinceMajor: 21 };

export const MODULE_FACTS: readonly ModuleRow[] = [
  {
    source: /(^|\/)terraform-aws-modules\/(terraform-aws-)?eks(\/aws)?(\.git)?(\?.*)?$/,
    facts: [
      { fact: 'clusterName', arguments: ['name', 'cluster_name'] },
      { fact: 'kubernetesVersion', arguments: ['kubernetes_version', 'cluster_version'] },
    ],
  },
  {
    source: /(^|\/)terraform-aws-modules\/(terraform-aws-)?eks(\/aws)?(\.git)?\/\/modules\/karpenter/,
    facts: [
      { fact: 'clusterName', arguments: ['cluster_name'] },
      {
        fact: 'controllerRoleName',
        arguments: ['iam_role_name'],
        default: 'KarpenterController',
        prefixSwitch: 'iam_role_use_name_prefix',
      },
      {
        fact: 'nodeRole',
        arguments: ['node_iam_role_name'],
        default: 'Karpenter-{cluster}',
        prefixSwitch: 'node_iam_role_use_name_prefix',
      },
      {
        fact: 'instanceProfile',
        arguments: ['node_iam_role_name'],
        default: 'Karpenter-{cluster}',
        prefixSwitch: 'node_iam_role_use_name_prefix',
        onlyIf: { argument: 'create_instance_profile' },
      },
      { fact: 'namespace', arguments: ['namespace'], default: 'kube-system', onlyIf: POD_IDENTITY },
      { fact: 'serviceAccount', arguments: ['service_account'], default: 'karpenter', onlyIf: POD_IDENTITY },
      { fact: 'queueName', arguments: ['queue_name'], default: 'Karpenter-{cluster}' },
    ],
  },
  {
    source:
      /(^|\/)terraform-aws-modules\/(terraform-aws-)?iam(\/aws)?(\.git)?\/\/modules\/iam-role-for-service-accounts/,
    facts: [
      {
        fact: 'controllerRoleName',
        arguments: ['role_name', 'name'],
        when: 'attach_karpenter_controller_policy',
        prefixSwitch: 'use_name_prefix',
        prefixArgument: 'name',
      },
    ],
  },
];
