/** The region of a cluster, from what it shows of itself. */
import { DEPLOYMENTS, NODES } from '@chandler/kube';
import { KubernetesLabel, NODE_CLAIMS } from '../../api/index.ts';
import { isFound, type ObjectReader } from '../../causes/index.ts';
import type { OfflineCatalogue } from '../../cloud/index.ts';

type Regions = Pick<OfflineCatalogue, 'regionOfZone' | 'regionVariables'>;

/** That of the nodes; without nodes, of NodeClaims or of the controller. Undefined: nothing shows it. */
export async function regionOfCluster(
  reader: ObjectReader,
  { regionOfZone, regionVariables }: Regions,
): Promise<string | undefined> {
  for (const resource of [NODES, NODE_CLAIMS]) {
    const looked = await reader.list(resource, { atMost: 5 });
    for (const { metadata } of isFound(looked) ? looked.found : []) {
      const { [KubernetesLabel.region]: region = '', [KubernetesLabel.zone]: zone = '' } =
        metadata.labels ?? {};
      const named = REGION.test(region) ? region : regionOfZone(zone);
      if (named !== undefined) return named;
    }
  }
  const deployments = await reader.list(DEPLOYMENTS, { labels: { 'app.kubernetes.io/name': 'karpenter' } });
  const text = isFound(deployments) ? JSON.stringify(deployments.found) : '';
  for (const name of regionVariables) {
    const [, value = ''] = new RegExp(`"name":"${name}","value":"([^"]*)"`).exec(text) ?? [];
    if (REGION.test(value)) return value;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** `westeurope`, `us-gov-west-1`. */
const REGION = /^[a-z][a-z0-9-]*$/;
