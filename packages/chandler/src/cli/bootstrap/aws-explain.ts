/**
 * Renders the user data of a NodeClaim of AWS offline: the formats of the controller, applied to manifests, an example
 * cluster and the flags that override it.
 */
import { KarpenterLabel } from '../../api/index.ts';
import {
  allowsValue,
  type EksBootstrapInput,
  type EksClusterValues,
  renderUserData,
  UserDataError,
  valuesOf,
} from '../../bootstrap/index.ts';
import { bottlerocketVersion, imageFamily, imageParameters } from '../../cloud/aws/index.ts';
import type { Sourced } from '../../settings/index.ts';
import { Failure, UsageError } from '../verb.ts';
import type { AwsManifests } from './aws-manifests.ts';
import type { BootstrapVerbValues } from './options.ts';
import type { BootstrapOutput } from './output.ts';

/** @throws {Failure} when the controller would refuse to launch, with its reason, the file and the field. */
export function explainAws(options: BootstrapVerbValues, manifests: AwsManifests): BootstrapOutput {
  const { nodeClass, claim } = manifests;
  const input = inputOf(options, manifests);
  try {
    const rendered = renderUserData(input);
    return {
      head: [
        `NodeClaim ${claim.metadata.name}: ${rendered.bytes} bytes of user data for the image family ${rendered.family}`,
        imageText(options, manifests),
      ],
      text: rendered.text,
      encoded: rendered.base64,
      bytes: rendered.bytes,
      variables: rendered.values,
      warnings: rendered.warnings.map(({ path, message }) => nodeClass.problem(fieldPath(path), message)),
    };
  } catch (error) {
    if (!(error instanceof UserDataError)) throw error;
    const message = error.message.slice(error.path.length + 2);
    throw new Failure(
      error.path.startsWith('spec.') ? nodeClass.problem(fieldPath(error.path), message) : error.message,
    );
  }
}

/** The tenth address of the range: EKS gives it to the DNS server. Nothing for a text that is no range. */
export function dnsAddressOf(serviceCidr: string): string | undefined {
  const v6 = /^([0-9a-f:]*::)\/\d{1,3}$/i.exec(serviceCidr);
  if (v6 !== null) return `${v6[1]}a`;
  const v4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(serviceCidr);
  const octets = v4?.slice(1, 5).map(Number) ?? [];
  if (v4 === null || octets.some((octet) => octet > 255) || octets[3]! > 245 || Number(v4[5]) > 28) {
    return undefined;
  }
  return [...octets.slice(0, 3), octets[3]! + 10].join('.');
}

// ---------------------------------------------------------------------------------------------------

const EXAMPLE_CLUSTER = {
  name: 'example',
  endpoint: 'https://0123456789ABCDEF0123456789ABCDEF.gr7.us-east-1.eks.amazonaws.com',
  serviceCidr: '10.100.0.0/16',
  kubernetesVersion: '1.33.2',
  caBundle: Buffer.from(
    '-----BEGIN CERTIFICATE-----\nthe certificate of the example cluster\n-----END CERTIFICATE-----\n',
  ).toString('base64'),
} as const;

/** The instance type of the example, and its pods. */
const EXAMPLE_TYPE = 'm5.large';
const EXAMPLE_MAX_PODS = 29;

function inputOf(options: BootstrapVerbValues, manifests: AwsManifests): EksBootstrapInput {
  const { nodeClass, claim, origin } = manifests;
  const spec = nodeClass.object.spec!;
  const family = imageFamily(spec);
  if ('problem' in family) {
    throw new Failure(nodeClass.problem(fieldPath(family.problem.path), family.problem.message));
  }
  const from = <T>(value: T, path: string): Sourced<T> =>
    origin === 'NodePool'
      ? { value, source: 'NodePool', path: `spec.template.${path}` }
      : { value, source: 'computed', path: `${origin} ${path}` };
  return {
    cluster: clusterOf(options),
    nodeClass: {
      family: family.family,
      spec,
      imageVersion: bottlerocketVersion(spec, nodeClass.object.status?.amis ?? []),
    },
    node: {
      maxPods: maxPodsOf(options, spec.kubelet?.maxPods),
      labels: from(claim.metadata.labels ?? {}, 'metadata.labels'),
      capacityType: from(capacityTypeOf(manifests), 'spec.requirements'),
      taints: from(claim.spec.taints ?? [], 'spec.taints'),
      startupTaints: from(claim.spec.startupTaints ?? [], 'spec.startupTaints'),
    },
  };
}

function clusterOf(options: BootstrapVerbValues): EksClusterValues {
  const { clusterName, clusterEndpoint, clusterCaBundle, serviceCidr, dnsServiceIp } = options;
  const cidr = orExample(serviceCidr, EXAMPLE_CLUSTER.serviceCidr);
  const address = dnsAddressOf(cidr.value);
  if (address === undefined) {
    throw new UsageError([
      { where: '--service-cidr', message: 'expected a range such as 10.100.0.0/16 or fd30:1c53:5f8a::/108' },
    ]);
  }
  return {
    name: orExample(clusterName, EXAMPLE_CLUSTER.name),
    endpoint: orExample(clusterEndpoint, EXAMPLE_CLUSTER.endpoint),
    caBundle: orExample(clusterCaBundle, EXAMPLE_CLUSTER.caBundle),
    serviceCidr: cidr,
    dnsIp:
      dnsServiceIp.source === 'hardcoded'
        ? { value: address, source: 'computed', path: cidr.path || 'service CIDR' }
        : dnsServiceIp,
  };
}

function orExample(option: Sourced<string>, example: string): Sourced<string> {
  return option.source === 'hardcoded' || option.value === ''
    ? { value: example, source: 'cluster', path: 'example cluster' }
    : option;
}

/** What instance type the node gets is decided at launch; here, the user says it. */
function maxPodsOf(
  { maxPods, instanceType }: BootstrapVerbValues,
  ofClass: number | string | undefined,
): Sourced<number> {
  if (maxPods.value !== undefined) return { ...maxPods, value: maxPods.value };
  if (instanceType.value !== undefined && typeof ofClass !== 'number') {
    throw new UsageError([
      {
        where: '--instance-type',
        message: `how many pods ${instanceType.value} can run is not known here; add --max-pods`,
      },
    ]);
  }
  return { value: EXAMPLE_MAX_PODS, source: 'computed', path: `${EXAMPLE_TYPE}, the type of the example` };
}

/** The first that is allowed, as at a launch; reserved capacity only where it is asked for. */
function capacityTypeOf({ claim }: AwsManifests): string {
  const { requirements } = claim.spec;
  const named = valuesOf(requirements, KarpenterLabel.capacityType) ?? [];
  const preferred = [...(named.includes('reserved') ? ['reserved'] : []), 'spot', 'on-demand'];
  return (
    preferred.find((type) => allowsValue(requirements, KarpenterLabel.capacityType, type)) ?? 'on-demand'
  );
}

function imageText(options: BootstrapVerbValues, { nodeClass }: AwsManifests): string {
  const version = orExample(options.kubernetesVersion, EXAMPLE_CLUSTER.kubernetesVersion).value;
  const found = imageParameters(nodeClass.object.spec!, version);
  if ('problem' in found) {
    throw new Failure(nodeClass.problem(fieldPath(found.problem.path), found.problem.message));
  }
  const [first, ...others] = found.parameters;
  if (first === undefined) return 'Images by the terms of spec.amiSelectorTerms';
  return `Image from SSM parameter ${first.Name}${others.length === 0 ? '' : ` and ${others.length} others`}`;
}

/** `spec.amiSelectorTerms[0].alias` → its steps. */
function fieldPath(path: string): readonly (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
