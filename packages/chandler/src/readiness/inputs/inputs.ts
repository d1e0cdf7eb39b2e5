/**
 * What checks read: objects of manifests, releases of the chart, resources of Terraform and of the account. Readers fill it
 * (`read-inputs.ts` from files); a reader of a live account or cluster adds the same kinds of objects with `source: 'live'`.
 */
import type { InputKind, Source } from '../model/finding.ts';
import type { Place } from '../model/place.ts';
import type { Tree } from '../model/tree.ts';
import type { SmokeResult } from '../smoke/smoke-result.ts';

/** An object of Kubernetes. */
export interface Manifest {
  /** `karpenter.sh/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** It has a name that is not known. */
  readonly isUnnamed?: boolean;
  readonly namespace?: string;
  readonly tree: Tree;
  readonly source: Source;
  readonly at: Place;
  /** The folder of the overlay of kustomize that makes it. */
  readonly overlay?: string;
}

/** An installation of the Karpenter chart, with the values that win. */
export interface HelmRelease {
  /** Which file says so: `Application/argocd/karpenter`, `helm_release.karpenter`, `values.yaml`. */
  readonly origin: string;
  readonly source: Source;
  readonly at: Place;
  /** The name of the chart, where it is known. */
  readonly chart?: string;
  readonly releaseName?: string;
  readonly namespace?: Tree;
  readonly version?: Tree;
  readonly repository?: Tree;
  readonly values: Tree;
  /** Why an absent value may be set elsewhere: value files that were not found. Empty: all values are here. */
  readonly incomplete: readonly string[];
}

/** A resource of Terraform (`aws_eks_cluster`, also of a plan or a state), or the same thing as the account shows it. */
export interface Resource {
  readonly source: 'terraform' | 'plan' | 'state' | 'live';
  /** `module.network.aws_subnet.private`. */
  readonly address: string;
  readonly mode: 'managed' | 'data';
  /** `aws_subnet`. */
  readonly type: string;
  readonly name: string;
  /** With the names of the Terraform provider. */
  readonly values: Tree;
  /** Of a plan: `create`, `update`, `delete`, `no-op`, `read`. */
  readonly actions?: readonly string[];
  /** Of the live account, where it is known: whose role, policy or queue it is. */
  readonly owner?: 'controller' | 'nodes';
  readonly at: Place;
}

/** What the live account was asked, besides the resources that it has. */
export interface LiveAccount {
  /** How many calls were made. */
  readonly calls: number;
  readonly readAtMs: number;
  /** By action (`iam:GetRole`): why it has no answer. */
  readonly unread: ReadonlyMap<string, string>;
  /** What the account answered that it does not have. */
  readonly absent: readonly AbsentResource[];
}

export interface AbsentResource {
  readonly type: string;
  readonly name: string;
  readonly at: Place;
}

/** A call of a module whose source is not in the folder: its arguments are known, its resources are not. */
export interface ModuleCall {
  /** `module.eks`. */
  readonly address: string;
  /** As written: `terraform-aws-modules/eks/aws//modules/karpenter`. */
  readonly moduleSource: string;
  readonly version?: string;
  readonly arguments: Tree;
  readonly at: Place;
}

export interface TerraformOutput {
  readonly source: 'terraform' | 'plan' | 'state';
  readonly name: string;
  readonly value: Tree;
  readonly at: Place;
}

/** A folder with Terraform files that no other folder calls as a module. */
export interface RootModule {
  readonly folder: string;
  /** Its own, and those of the modules that it calls. */
  readonly folders: ReadonlySet<string>;
  readonly lockFile: boolean;
  /** Local sources of modules that do not exist. */
  readonly missingModules: readonly {
    readonly address: string;
    readonly source: string;
    readonly at: Place;
  }[];
  readonly at: Place;
}

/** An Argo CD Application: where its manifests come from. */
export interface Application {
  readonly name: string;
  readonly sources: readonly {
    readonly repoURL?: string;
    readonly path?: string;
    readonly chart?: string;
  }[];
  readonly tree: Tree;
  readonly at: Place;
}

/** A live cluster (`--live-cluster`). Its objects and releases are also among those of the inputs. */
export interface ClusterInput {
  readonly objects: readonly Manifest[];
  readonly releases: readonly HelmRelease[];
  /** Kinds of which not all objects are known. */
  readonly unread: readonly UnreadKind[];
  /** Kinds of which only the first objects were read, because there are so many: what was not read. */
  readonly cut: ReadonlyMap<string, string>;
  /** Objects as files have them, also those that the cluster has. */
  readonly declared: readonly Manifest[];
}

export interface UnreadKind {
  /** Of one object with its name: `ConfigMap/aws-auth`. */
  readonly kind: string;
  /** As `kubectl auth can-i` asks: `list daemonsets.apps`. */
  readonly permission: string;
  /** Why it was not read. */
  readonly reason: string;
}

/** What could not be read, and why. The rest is judged. */
export interface InputProblem {
  readonly at: Place;
  readonly message: string;
  /** `error`: the file was meant to be read; `note`: it is known why it cannot be. */
  readonly level: 'error' | 'note';
}

/** What git says about the files with Helm values. */
export interface GitState {
  /** Files that have changes, or that git does not know. */
  readonly uncommitted: ReadonlySet<string>;
  /** Files of the repository that have none. */
  readonly committed: ReadonlySet<string>;
  /** Commits that the upstream branch does not have; undefined without an upstream branch. */
  readonly unpushed?: number;
}

export interface Inputs {
  readonly manifests: readonly Manifest[];
  readonly releases: readonly HelmRelease[];
  readonly applications: readonly Application[];
  readonly resources: readonly Resource[];
  /** What a plan deletes: it is not there afterwards. */
  readonly removed: readonly Resource[];
  /** Addresses of resources of Terraform that install manifests which are not known. */
  readonly unreadManifests: readonly string[];
  readonly moduleCalls: readonly ModuleCall[];
  readonly outputs: readonly TerraformOutput[];
  readonly rootModules: readonly RootModule[];
  /** What the owners of the cluster say that should be there (`--config`). */
  readonly expectations?: Tree;
  /** The cluster, where it was read (`--live-cluster`). */
  readonly cluster?: ClusterInput;
  /** What happened when pods were created that need nodes (`--smoke`). */
  readonly smoke?: SmokeResult;
  /** The account, where it was asked (`--live-aws`). */
  readonly live?: LiveAccount;
  /** What git says about the files. */
  readonly git?: GitState;
  readonly problems: readonly InputProblem[];
  /** The files that were read, for the summary. */
  readonly files: readonly string[];
  /** Files with comments that may suppress findings. Absent: any of them. */
  readonly commented?: readonly string[];
}

export const NO_INPUTS: Inputs = {
  manifests: [],
  releases: [],
  applications: [],
  resources: [],
  removed: [],
  unreadManifests: [],
  moduleCalls: [],
  outputs: [],
  rootModules: [],
  problems: [],
  files: [],
};

/** Which kinds of input are there. */
export function inputKinds(inputs: Inputs): ReadonlySet<InputKind> {
  const kinds: (readonly [InputKind, boolean])[] = [
    ['terraform', inputs.rootModules.length > 0 || hasResource(inputs, 'terraform')],
    ['plan', hasResource(inputs, 'plan')],
    ['state', hasResource(inputs, 'state')],
    ['values', inputs.releases.length > 0],
    ['nodeClasses', inputs.manifests.some(({ kind }) => NODE_CLASS_KINDS.has(kind))],
    ['nodePools', inputs.manifests.some(({ kind }) => kind === 'NodePool' || kind === 'Provisioner')],
    ['workloads', inputs.manifests.some(({ kind }) => WORKLOAD_KINDS.has(kind))],
    ['applications', inputs.applications.length > 0],
    ['expectations', inputs.expectations !== undefined],
    ['git', inputs.git !== undefined],
    ['cloud', inputs.live !== undefined || hasResource(inputs, 'live')],
    ['cluster', inputs.cluster !== undefined],
    ['smoke', inputs.smoke !== undefined],
  ];
  return new Set(kinds.filter(([, there]) => there).map(([kind]) => kind));
}

const NODE_CLASS_KINDS: ReadonlySet<string> = new Set(['EC2NodeClass', 'AWSNodeTemplate', 'AKSNodeClass']);

export const WORKLOAD_KINDS: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'Job',
  'CronJob',
  'Pod',
  'PodDisruptionBudget',
]);

// ---------------------------------------------------------------------------------------------------------------

function hasResource({ resources, removed, outputs }: Inputs, source: Source): boolean {
  return (
    [...resources, ...removed].some((resource) => resource.source === source) ||
    outputs.some((output) => output.source === source)
  );
}
