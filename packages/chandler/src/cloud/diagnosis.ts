/**
 * What a cloud brings to `why` and `dump`: its causes, how its part of the evidence is read, the paths of its values, its
 * checklists, its catalogue of instance types. Shared code gathers evidence and explains it through this interface alone.
 */
import type { Fetch, KubeObject, ResourceRef, World } from '@chandler/kube';
import type { LabelRules, NodeClaim } from '../api/index.ts';
import type {
  CauseTable,
  ConsideredSource,
  EvidenceContext,
  EvidenceSet,
  JourneyEvidence,
  LookupFailure,
  LookupResult,
  NodeClaimEvidence,
  NodeClassEvidence,
  OptionValue,
  ReadObject,
  ValueEvidence,
  VmEvidence,
} from '../causes/index.ts';
import type { InstanceType } from '../scheduling/index.ts';
import type { Environment, OptionTable, ResolvedOptions, resolveOptions } from '../settings/index.ts';

export interface CloudDiagnosis {
  /** `azure`: where a reading came from, and the name of the flag that chooses whether the cloud is read. */
  readonly name: string;
  /** As sentences name it. */
  readonly title: string;
  readonly causes: readonly CauseTable[];
  /** What the causes of this cloud explain, so that general causes leave it to them. */
  readonly explained: ExplainedCauses;
  /** Commands and words of this cloud that texts of general causes name as `{showBootLog}`. */
  readonly words: CloudCommands;
  /** The kinds of node classes whose NodePools this cloud serves. */
  readonly nodeClasses: readonly ResourceRef[];
  readonly options: DiagnosisOptions;
  readonly errors: ErrorClassifier;
  readonly evidence: CloudEvidence;
  /** Stages of the journey that show that a layer is passed. */
  readonly layerStages: Readonly<Record<'provider' | 'vmCreation', readonly string[]>>;
  readonly valuePaths: readonly ValuePath[];
  readonly checklists: readonly Checklist[];
  readonly catalogue: OfflineCatalogue;
  /** Absent: a plan for a pod of this cloud uses none. */
  readonly reservations?: CapacityReservationReads;
  /** The name of the instance, and so of the Node, of a NodeClaim. */
  instanceName(claim: string): string;
  /** The name of the NodeClaim whose instance has this name. */
  claimName(instance: string): string;
  /** Facts that fill the texts of causes: the resource group, the VM, the region. */
  facts(
    evidence: EvidenceSet,
    claim: NodeClaimEvidence | undefined,
  ): Readonly<Record<string, string | undefined>>;
}

/** How `why` and `dump` reach the diagnosis of a cloud. Nothing is loaded before it is needed. */
export interface DiagnosisRow {
  /** `azure`: the value of `--cloud`, and the flag that chooses whether the cloud is read. */
  readonly name: string;
  readonly title: string;
  /** Objects of these kinds show that a cluster is of this cloud. */
  readonly nodeClasses: readonly ResourceRef[];
  /** What the provider ids of its nodes begin with. */
  readonly providerIds: string;
  /** Names of its checklists and of the values whose path it knows, for usage messages. */
  readonly checklists: readonly string[];
  readonly values: readonly string[];
  /** For the help of `why`. */
  readonly examples: readonly { readonly command: string; readonly does: string }[];
  /**
   * Without a connection: answers from the cluster, or from a dump.
   * @param missing why there is none: said of everything that the cloud would have shown.
   */
  diagnosis(missing?: LookupFailure): Promise<CloudDiagnosis>;
  /** Where there is no way to the cloud, the answer is from the cluster, and says what is missing. @throws {StartError} */
  connect(request: ConnectRequest): Promise<CloudConnection>;
}

export interface ExplainedCauses {
  /** Names of options of the controller that have a cause of their own when they are refused. */
  readonly options: readonly string[];
  /** Whether a reason of a node class condition has a cause of its own. */
  readonly isClassReason: (reason: string) => boolean;
}

/** What general causes take from a cloud. Each may name facts itself. */
export interface CloudCommands {
  /** The resource name of its node class for kubectl. */
  readonly nodeClassResource: string;
  readonly showBootLog: string;
  readonly showKubeletLog: string;
  readonly showClock: string;
  readonly showInstanceStatus: string;
  readonly showInstanceAgent: string;
  readonly showInstanceDisk: string;
  readonly showNodeStatus: string;
  readonly showInstanceHistory: string;
  readonly testApiServer: string;
  /** The field of the node class that sets the size of the OS disk. */
  readonly osDiskSize: string;
  /** After how long node repair replaces a node whose kubelet is silent: `10 minutes`. */
  readonly repairDelay: string;
  /** What lets nodes pull images from a registry of the cloud. */
  readonly pullPermission: string;
  /** What to check where the cloud does not accept the identity of the controller. */
  readonly checkIdentity: string;
  /** What the API limits of the cloud are counted for: `subscription`. */
  readonly billingScope: string;
  /** Where the cloud records who changed an instance. */
  readonly auditLog: string;
}

/** The options of the controller when it serves this cloud: read from its Deployment, and kept in a dump. */
export interface DiagnosisOptions {
  readonly table: OptionTable;
  resolve(inputs: Parameters<typeof resolveOptions>[1]): ResolvedOptions<OptionTable>;
}

/** Classifies what the cloud refused, from a reason and a message that were written down earlier. */
export interface ErrorClassifier {
  /** The error kind of each reason of a condition or event that reports a refusal of this cloud. */
  readonly reasons: ReadonlyMap<string, string>;
  /** From the message alone; undefined where it holds no code that is known. */
  classify(message: string): ClassifiedError | undefined;
}

export interface ClassifiedError {
  readonly errorKind: string;
  readonly reason: string;
  /** The cloud's own code. */
  readonly code: string | undefined;
}

/** The controller as its Deployment shows it. */
export interface ControllerDeployment {
  readonly deployment: KubeObject;
  readonly namespace: string;
  readonly env: readonly EnvVar[];
  /** By name, as far as they can be seen. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** The ConfigMap with settings, and when its data was last changed, as far as that is known. */
  readonly settings?: { readonly name: string; readonly changedAtMs: number | undefined };
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name?: string; readonly key?: string };
    readonly configMapKeyRef?: { readonly name?: string; readonly key?: string };
  };
}

/** A claim with all that was read about it in the cluster. */
export interface ClaimReading {
  readonly claim: NodeClaim & ReadObject;
  readonly journey: JourneyEvidence | undefined;
  readonly nodeClass: KubeObject | undefined;
  readonly controller: ControllerDeployment | undefined;
  readonly vm: VmEvidence | undefined;
}

/** Reads the cloud's part of the evidence, from the cloud where there is a connection, else from the dump. */
export interface CloudEvidence {
  /** What only this cloud knows of the fields and conditions of its node class. */
  nodeClass(object: KubeObject | undefined): Pick<NodeClassEvidence, 'diskEncryptionSet' | 'findings'>;
  /** Whether a reason of a condition is about the encryption of disks. */
  isAboutEncryption(reason: string): boolean;
  /** The instance of a claim; until it has joined, what shows its bootstrap; and its log where its node is not Ready. */
  readInstance(
    context: EvidenceContext,
    claim: NodeClaimEvidence,
    controller: ControllerDeployment | undefined,
    node?: { readonly isUnready: boolean },
  ): Promise<VmEvidence | undefined>;
  /** Where the values of `valuePaths` were seen. */
  readValues(context: EvidenceContext, reading: ClaimReading): void;
  /** The credentials with which a new instance joins. */
  readJoinCredentials(context: EvidenceContext, controller: ControllerDeployment | undefined): Promise<void>;
  /** The cluster as the cloud shows it. */
  readCluster(
    context: EvidenceContext,
    claims: readonly NodeClaimEvidence[],
    controller: ControllerDeployment | undefined,
  ): Promise<void>;
}

/** The path of one value from its configuration to the instance. */
export interface ValuePath {
  /** As `why value` takes it: `diskEncryptionSetID`. */
  readonly name: string;
  /** In a sentence: `disk encryption set`. */
  readonly title: string;
  /** In order, each with its meaning. */
  readonly stations: readonly { readonly station: string; readonly meaning: string }[];
  sources(evidence: EvidenceSet): readonly ConsideredSource[];
  /** Why a station need not have the value; undefined: it should. */
  notNeededAt(station: string, value: ValueEvidence | undefined): string | undefined;
}

export interface Checklist {
  /** As `why --checklist` takes it: `byok`. */
  readonly name: string;
  /** The heading of its output. */
  readonly title: string;
  /** Its steps for this evidence, in order. May ask the cloud. */
  steps(evidence: EvidenceSet): Promise<readonly ChecklistRow[]>;
}

export interface ChecklistRow {
  readonly title: string;
  /** Ids of causes that break the step, or layers of points: `L1` for all of the first. */
  readonly covers: readonly string[];
  /** What is found where no cause breaks it. */
  readonly result: StepResult;
  /** Commands to check it by hand. */
  readonly byHand: readonly string[];
}

export interface StepResult {
  readonly state: 'ok' | 'broken' | 'unknown' | 'notReached';
  /** What was found, a sentence each. */
  readonly found: readonly string[];
}

/** Instance types for a plan without the cloud, made from a built-in list of sizes. */
export interface OfflineCatalogue {
  readonly homeRegion: string;
  /** The month of the built-in list prices: `2026-06`. */
  readonly pricesAsOf: string;
  readonly wellKnownLabels: readonly string[];
  /** As the traits of the cloud have it. */
  readonly reservationLabel?: string;
  readonly labelRules: LabelRules;
  /** Labels that name a size or a family of sizes: the catalogue does not have all values that the cloud has. */
  readonly sizeLabels: readonly string[];
  /** Variables of the controller that name the region. */
  readonly regionVariables: readonly string[];
  /** A variable of the controller whose value shows the region as well. Absent: none does. */
  readonly regionInVariable?: { readonly name: string; regionOf(value: string): string | undefined };
  /** The region of a zone, as the cloud names its zones. */
  regionOfZone(zone: string): string | undefined;
  /** Zones that a node class shows in its status. Absent: its node classes name none. */
  zonesOfClass?(nodeClass: KubeObject): readonly string[];
  /** What a reader of prices for this region should know beside their date. */
  readonly priceNotes?: (region: string) => readonly string[];
  /** From the sizes of a region, in the cloud's own form. */
  provider(request: CatalogueRequest): Promise<CatalogueProvider>;
}

/** The built-in catalogue of a cloud. Nothing of it is loaded before it is needed. */
export interface CatalogueRow {
  /** As `--catalogue` takes it. */
  readonly name: string;
  readonly title: string;
  /** The node classes whose NodePools use it unless another catalogue is asked for. */
  readonly nodeClasses: readonly { readonly group: string; readonly kind: string }[];
  catalogue(): Promise<OfflineCatalogue>;
}

export interface CatalogueRequest {
  readonly world: Pick<World, 'clock' | 'log' | 'fetch'>;
  readonly region: string;
  /** Empty where the catalogue has sizes of its own. */
  readonly sizes: readonly object[];
  readonly howMany: 'all' | SomeSizes;
  /** Whether the controller uses capacity reservations. Default true. */
  readonly reservedCapacity?: boolean;
  /**
   * Every size is offered in every zone of the node class, and those of its reservations in theirs: which zone sells a size
   * differs between accounts. Default false: as the table has it.
   */
  readonly everyZone?: boolean;
}

/** Enough of them for most questions, and much faster: the largest of every family, a few more, and those that are named. */
export interface SomeSizes {
  /** Names of sizes; other names are ignored. */
  readonly named: ReadonlySet<string>;
}

export interface CatalogueProvider {
  /** @param free instances of capacity reservations by id. Default: every reservation is full. */
  instanceTypes(
    nodeClass: KubeObject | undefined,
    free?: ReadonlyMap<string, number>,
  ): readonly InstanceType[];
}

/** Reservations of capacity that node classes lead to. */
export interface CapacityReservationReads {
  /** Those in the status of the node class. */
  ids(nodeClass: KubeObject): readonly string[];
  /** Free instances of each of these by id, asked of the cloud as the controller does. */
  free(context: EvidenceContext, nodeClass: KubeObject): Promise<ReadonlyMap<string, LookupResult<number>>>;
}

export interface ConnectRequest {
  readonly world: World;
  readonly env: Environment;
  readonly readFile: (path: string) => string;
  readonly version: string;
  /** Opens the way to the cloud: through proxies, and with a private CA where an option names one. */
  openWire(ca: { readonly path: string; readonly flag: string }): CloudWireHandle;
  /** Also without credentials in the environment, as with a login of the cloud's own CLI. */
  readonly required: boolean;
  /** Of the cluster, as its objects or the options of its controller show it; undefined: nothing does. */
  readonly region: string | undefined;
}

export interface CloudWireHandle {
  readonly fetch: Fetch;
  close(): Promise<void>;
}

export interface CloudConnection {
  readonly diagnosis: CloudDiagnosis;
  close(): Promise<void>;
}
