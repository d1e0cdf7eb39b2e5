/**
 * Renders the custom data of a NodeClaim offline: the launch template of the controller, applied to manifests, an
 * example cluster and the flags that override it.
 */
import { readFileSync } from 'node:fs';
import type { World } from '@chandler/kube';
import type { AKSNodeClass } from '../../api/index.ts';
import { type AzureEnvironment, resolveEnvironment } from '../../arm/index.ts';
import { BootstrapError, type Bootstrapper, type Rendered, renderScript } from '../../bootstrap/index.ts';
import {
  buildLaunchTemplate,
  communityImageId,
  imageRequirements,
  type LaunchTemplateRequest,
  nodeCloud,
  resolveFamily,
  sharedImageId,
} from '../../cloud/azure/index.ts';
import { isCloudError } from '../../cloud/index.ts';
import type { Sourced } from '../../settings/index.ts';

import { Failure } from '../verb.ts';
import type { Manifests } from './manifests.ts';
import { type BootstrapVerbValues, EXAMPLE, EXAMPLE_CLUSTER } from './options.ts';
import { chooseVmSize } from './vm-size.ts';

export interface Explanation {
  readonly claimName: string;
  readonly size: string;
  readonly zone: string;
  readonly image: string;
  readonly rendered: Rendered;
}

export interface ExplainRequest {
  readonly world: World;
  readonly options: BootstrapVerbValues;
  readonly manifests: Manifests;
  readonly masked: boolean;
}

/** @throws {Failure} when the controller would refuse to launch, with its reason. */
export async function explainBootstrap(request: ExplainRequest): Promise<Explanation> {
  const { world, options, masked } = request;
  try {
    const cluster = exampleCluster(options);
    const nodeClass = withStatus(request.manifests.nodeClass, cluster.kubernetesVersion);
    const manifests = { ...request.manifests, nodeClass };
    const { type, offering } = chooseVmSize(world, options, manifests);
    let rendered: Rendered | undefined;
    const bootstrapper: Bootstrapper = {
      mode: 'aksscriptless',
      script: async (input) => {
        rendered = renderScript(input, { masked });
        return rendered;
      },
    };
    const template = await buildLaunchTemplate({
      ...manifests,
      instanceType: type,
      offering,
      cluster,
      options: { ...options, armCloud: nodeCloud(options, environmentOf(options)) },
      bootstrapper,
      clock: world.clock,
    });
    return {
      claimName: manifests.claim.metadata.name ?? '',
      size: type.name,
      zone: offering.zone,
      image: template.imageId,
      rendered: rendered!,
    };
  } catch (error) {
    if (isCloudError(error) || error instanceof BootstrapError) throw new Failure(error.message);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

/** The newest image version when the tables were generated. */
const EXAMPLE_IMAGE_VERSION = '202608.15.0';

/** The cloud that the controller would talk to. */
function environmentOf({ armCloud, azureEnvironmentFilepath }: BootstrapVerbValues): AzureEnvironment {
  const path = azureEnvironmentFilepath.value;
  const result = resolveEnvironment(
    path === '' ? { armCloud: armCloud.value } : { file: { path, text: readText(path) } },
  );
  if ('environment' in result) return result.environment;
  throw new Failure(`${result.problem.where}: ${result.problem.message}`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure(`azure-environment-filepath: ${path} cannot be read: ${why}`);
  }
}

function exampleCluster(options: BootstrapVerbValues): LaunchTemplateRequest['cluster'] {
  const clusterId = orExample(options.clusterId, EXAMPLE_CLUSTER.clusterId);
  return {
    kubernetesVersion: orExample(options.kubernetesVersion, EXAMPLE_CLUSTER.kubernetesVersion),
    caBundle: orExample(options.clusterCaBundle, EXAMPLE_CLUSTER.clusterCaBundle),
    clusterId,
    vnetGuid: orExample(options.vnetGuid, EXAMPLE_CLUSTER.vnetGuid),
    dnsServiceIP: orExample(options.dnsServiceIp, EXAMPLE_CLUSTER.dnsServiceIp),
    network: {
      plugin: options.networkPlugin,
      pluginMode: options.networkPluginMode,
      dataplane: options.networkDataplane,
      policy: options.networkPolicy,
    },
    nodeResourceGroup: options.nodeResourceGroup,
  };
}

/** The option if it is set, otherwise the value of the example cluster. */
function orExample(option: Sourced<string>, example: string): Sourced<string> {
  return option.value === '' ? { value: example, source: 'cluster', path: 'example cluster' } : option;
}

/** An AKSNodeClass from a file has no status; images and version are those that the controller would set. */
function withStatus(nodeClass: AKSNodeClass, version: Sourced<string>): AKSNodeClass {
  const spec = nodeClass.spec ?? {};
  const { family, variant, definitions } = resolveFamily(spec, version);
  const shared = variant === 'fips' || variant === 'fipsTrustedLaunch';
  const images = definitions.map((definition) => ({
    id: shared
      ? sharedImageId(EXAMPLE.azureSubscriptionId, family.gallery, definition, EXAMPLE_IMAGE_VERSION)
      : communityImageId(family.gallery, definition, EXAMPLE_IMAGE_VERSION),
    requirements: imageRequirements(definition),
  }));
  return { ...nodeClass, status: { images, ...nodeClass.status } };
}
